#include "warpledger/trace/shape.h"

namespace warpledger::trace {
namespace {

/// An odd factor for each lane (SplitMix64), so that the products do not wait for each other.
constexpr std::array<uint64_t, kLanes> kFactors = [] {
  std::array<uint64_t, kLanes> factors{};
  uint64_t state = 0;
  for (uint64_t& factor : factors) {
    uint64_t mixed = state += 0x9E3779B97F4A7C15ull;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBull;
    factor = (mixed ^ mixed >> 31) | 1;
  }
  return factors;
}();

uint64_t hash(const Shape& shape) {
  uint64_t sum = shape.mask * 0x9E3779B97F4A7C15ull;
  for (size_t lane = 0; lane < kLanes; ++lane)
    sum += static_cast<uint32_t>(shape.offset[lane]) * kFactors[lane];
  return sum ^ sum >> 32;
}

}  // namespace

ShapeTable::ShapeTable() {
  chunks_[0].store(new Shape[kChunk], std::memory_order_release);  // number 0: no lane
  by_hash_.emplace(hash(Shape{}), kNoLanes);
  size_.store(1, std::memory_order_release);
}

ShapeTable::~ShapeTable() {
  for (auto& chunk : chunks_) delete[] chunk.load();
}

std::optional<uint32_t> ShapeTable::intern(Shape shape) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!(shape.mask >> lane & 1)) shape.offset[lane] = 0;
  }
  const uint64_t key = hash(shape);
  std::atomic<uint32_t>& recent = recent_[key % kRecent];
  if (const uint32_t id = recent.load(std::memory_order_acquire); (*this)[id] == shape) return id;
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if ((*this)[at->second] != shape) continue;
    recent.store(at->second, std::memory_order_release);
    return at->second;
  }
  const uint32_t id = size();
  if (id == kMaxShapes) return std::nullopt;
  auto& chunk = chunks_[id / kChunk];
  if (!chunk.load()) chunk.store(new Shape[kChunk], std::memory_order_release);
  chunk.load()[id % kChunk] = shape;
  by_hash_.emplace(key, id);
  size_.store(id + 1, std::memory_order_release);
  recent.store(id, std::memory_order_release);
  return id;
}

}  // namespace warpledger::trace
