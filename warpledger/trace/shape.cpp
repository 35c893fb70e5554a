#include "warpledger/trace/shape.h"

namespace warpledger::trace {
namespace {

uint64_t hash(const Shape& shape) {
  uint64_t h = shape.mask * 0x9E3779B97F4A7C15ull;
  for (const int32_t offset : shape.offset) {
    h = (h ^ static_cast<uint32_t>(offset)) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

ShapeTable::ShapeTable() { static_cast<void>(intern(Shape{})); }

ShapeTable::~ShapeTable() {
  for (auto& chunk : chunks_) delete[] chunk.load();
}

std::optional<uint32_t> ShapeTable::intern(Shape shape) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!(shape.mask >> lane & 1)) shape.offset[lane] = 0;
  }
  const uint64_t key = hash(shape);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if ((*this)[at->second] == shape) return at->second;
  }
  const uint32_t id = size();
  if (id == kMaxShapes) return std::nullopt;
  auto& chunk = chunks_[id / kChunk];
  if (!chunk.load()) chunk.store(new Shape[kChunk], std::memory_order_release);
  chunk.load()[id % kChunk] = shape;
  by_hash_.emplace(key, id);
  size_.store(id + 1, std::memory_order_release);
  return id;
}

}  // namespace warpledger::trace
