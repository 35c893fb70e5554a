#include "interpose/pools.h"

#include <algorithm>

namespace warpledger::cuda {

size_t attribute_bytes(PoolAttribute attribute) {
  const int number = static_cast<int>(attribute);
  if (number < 1 || number > static_cast<int>(PoolAttribute::kUsedHigh)) return 0;
  return attribute < PoolAttribute::kReleaseThreshold ? sizeof(int) : sizeof(uint64_t);
}

std::optional<Place> place_of(const Devices& devices, int location, int id, int allocation) {
  enum Location { kNowhere, kDevice, kHost, kHostNuma, kHostNumaCurrent };
  enum Allocation { kPinned = 1, kManaged = 2 };
  const bool is_device = location == kDevice;
  if (is_device && !devices.has(id)) return {};
  if (location < kNowhere || location > kHostNumaCurrent) return {};
  const int device = is_device ? id : 0;
  if (allocation == kManaged) return Place{MemoryKind::kManaged, device};
  if (allocation != kPinned || location == kNowhere) return {};
  return Place{is_device ? MemoryKind::kDevice : MemoryKind::kPooledHost, device};
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

Pool& Pools::standard(Place place) { return standard_.try_emplace(place, place).first->second; }

Pool& Pools::current(Place place) {
  const auto found = current_.find(place);
  return found == current_.end() ? standard(place) : *found->second;
}

Pool* Pools::create(Place place, uint64_t max_bytes) {
  auto made = std::make_unique<Pool>(place, max_bytes);
  Pool* pool = made.get();
  made_[pool] = std::move(made);
  return pool;
}

bool Pools::knows(const Pool* pool) const {
  const bool is_standard =
      std::ranges::any_of(standard_, [&](const auto& one) { return &one.second == pool; });
  return is_standard || made_.contains(pool);
}

bool Pools::destroy(Pool* pool) {
  std::erase_if(current_, [&](const auto& one) { return one.second == pool; });
  return made_.erase(pool) != 0;
}

}  // namespace warpledger::cuda
