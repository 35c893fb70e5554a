#include "interpose/pools.h"

#include <algorithm>

namespace warpledger::cuda {

size_t attribute_bytes(PoolAttribute attribute) {
  const int number = static_cast<int>(attribute);
  if (number < 1 || number > static_cast<int>(PoolAttribute::kUsedHigh)) return 0;
  return attribute < PoolAttribute::kReleaseThreshold ? sizeof(int) : sizeof(uint64_t);
}

uint64_t Pool::used(const Memory& memory) {
  uint64_t bytes = 0;
  std::erase_if(allocations_, [&](const auto& one) {
    // Graph memory keeps its address and may come alive again.
    return !memory.holding(one.first) && !memory.is_reserved(one.first);
  });
  for (const auto& [address, size] : allocations_) bytes += memory.holding(address) ? size : 0;
  high_ = std::max(high_, bytes);
  return bytes;
}

bool Pool::has_room(const Memory& memory, uint64_t bytes) {
  return max_bytes_ == 0 || used(memory) + bytes <= max_bytes_;
}

std::optional<uint64_t> Pool::get(const Memory& memory, PoolAttribute attribute) {
  const uint64_t now = used(memory);
  if (const auto found = values_.find(attribute); found != values_.end()) return found->second;
  if (attribute_bytes(attribute) == 0) return {};
  const bool is_mark =
      attribute == PoolAttribute::kReservedHigh || attribute == PoolAttribute::kUsedHigh;
  return is_mark ? high_ : now;
}

bool Pool::set(PoolAttribute attribute, uint64_t value) {
  if (const auto found = values_.find(attribute); found != values_.end())
    return found->second = value, true;
  const bool is_mark =
      attribute == PoolAttribute::kReservedHigh || attribute == PoolAttribute::kUsedHigh;
  if (!is_mark || value != 0) return false;
  return high_ = 0, true;
}

Pool* Pools::create(uint64_t max_bytes) {
  auto made = std::make_unique<Pool>(max_bytes);
  Pool* pool = made.get();
  made_[pool] = std::move(made);
  return pool;
}

bool Pools::knows(const Pool* pool) const { return pool == &standard_ || made_.contains(pool); }

bool Pools::destroy(Pool* pool) {
  if (pool == current_) current_ = &standard_;
  return made_.erase(pool) != 0;
}

}  // namespace warpledger::cuda
