#include "warpledger/trace/shape.h"

#include <span>
#include <type_traits>

#include "warpledger/base/word_hash.h"

namespace warpledger::trace {
namespace {

uint64_t hash(const Shape& shape) {
  static_assert(std::has_unique_object_representations_v<Shape>);  // no padding
  return hash_words(std::as_bytes(std::span(&shape, 1)));
}

// Of a few lanes: it says where to look first, and the shape there is compared whole.
uint64_t quick_hash(const Shape& shape) {
  uint64_t hash = shape.mask * 0x9e3779b97f4a7c15;
  for (const size_t lane : {1, 2, 4, 8, 16, 24, 31}) {
    const auto offset = static_cast<uint32_t>(shape.offset[lane]);
    hash ^= offset * (0xff51afd7ed558ccd + 2 * static_cast<uint64_t>(lane));
  }
  return hash ^ (hash >> 32);
}

}  // namespace

ShapeTable::ShapeTable() { add(Shape{}, hash(Shape{})); }

ShapeTable::~ShapeTable() {
  for (auto& chunk : chunks_) delete[] chunk.load();
}

std::optional<uint32_t> ShapeTable::intern(Shape shape) {
  for (size_t lane = 0; lane < kLanes; ++lane)
    shape.offset[lane] = shape.mask >> lane & 1 ? shape.offset[lane] : 0;
  std::atomic<uint32_t>& recent = recent_[quick_hash(shape) % kRecent];
  if (const uint32_t id = recent.load(std::memory_order_acquire); (*this)[id] == shape) return id;
  const uint64_t key = hash(shape);
  const std::lock_guard lock(mutex_);
  std::optional<uint32_t> id = find(shape, key);
  if (!id && size() < kMaxShapes) id = add(shape, key);
  if (id) recent.store(*id, std::memory_order_release);
  return id;
}

std::optional<uint32_t> ShapeTable::find(const Shape& shape, uint64_t key) const {
  const auto [first, last] = by_hash_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if ((*this)[at->second] == shape) return at->second;
  }
  return {};
}

uint32_t ShapeTable::add(const Shape& shape, uint64_t key) {
  const uint32_t id = size();
  auto& chunk = chunks_[id / kChunk];
  if (!chunk.load()) chunk.store(new Shape[kChunk], std::memory_order_release);
  chunk.load()[id % kChunk] = shape;
  by_hash_.emplace(key, id);
  size_.store(id + 1, std::memory_order_release);
  return id;
}

}  // namespace warpledger::trace
