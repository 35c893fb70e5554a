// Memory pools of both doors. Memory comes from a device's one heap, or from the host's, and goes
// back when it is freed; a pool keeps its attributes and knows which live allocations came from it.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>

#include "interpose/memory.h"

namespace warpledger::cuda {

/// The numbers that cudaMemPoolAttr and CUmemPool_attribute share.
enum class PoolAttribute : int {
  kReuseFollowsEvents = 1,
  kReuseOpportunistic = 2,
  kReuseWithDependencies = 3,
  kReleaseThreshold = 4,
  kReservedNow = 5,
  kReservedHigh = 6,
  kUsedNow = 7,
  kUsedHigh = 8,
};

/// How many bytes the value of the attribute has at the caller's; 0: there is no such attribute.
[[nodiscard]] size_t attribute_bytes(PoolAttribute attribute);

/// Where the memory of a pool lies: kDevice, kManaged or kPooledHost, and of which device.
struct Place {
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The numbers of CUmemLocationType and CUmemAllocationType, which cudaMemLocationType and
/// cudaMemAllocationType share. Nothing for a device that there is not, and for other types.
[[nodiscard]] std::optional<Place> place_of(const Devices& devices, int location, int id,
                                            int allocation);

class Pool {
 public:
  explicit Pool(Place place, uint64_t max_bytes = 0) : place_(place), max_bytes_(max_bytes) {}

  [[nodiscard]] Place place() const { return place_; }
  void add(uint64_t address, uint64_t bytes) { allocations_[address] = bytes; }
  /// Live bytes that came from here; the high-water mark follows.
  [[nodiscard]] uint64_t used(const Memory& memory);
  /// Whether so many bytes more stay under what the pool was created with.
  [[nodiscard]] bool has_room(const Memory& memory, uint64_t bytes);
  [[nodiscard]] std::optional<uint64_t> get(const Memory& memory, PoolAttribute attribute);
  /// Fails for what only the device counts; marks can be set to zero.
  [[nodiscard]] bool set(PoolAttribute attribute, uint64_t value);

 private:
  Place place_;
  uint64_t max_bytes_;  // 0: as many as the device has
  uint64_t high_ = 0;
  std::map<uint64_t, uint64_t> allocations_;  // bytes by address, freed ones among them
  std::map<PoolAttribute, uint64_t> values_ = {{PoolAttribute::kReuseFollowsEvents, 1},
                                               {PoolAttribute::kReuseOpportunistic, 1},
                                               {PoolAttribute::kReuseWithDependencies, 1},
                                               {PoolAttribute::kReleaseThreshold, 0}};
};

class Pools {
 public:
  Pools() = default;
  Pools(const Pools&) = delete;
  Pools& operator=(const Pools&) = delete;

  [[nodiscard]] Pool& standard(Place place);
  [[nodiscard]] Pool& current(Place place);
  void make_current(Place place, Pool& pool) { current_[place] = &pool; }
  [[nodiscard]] Pool* create(Place place, uint64_t max_bytes);
  [[nodiscard]] bool knows(const Pool* pool) const;
  /// Fails for standard ones and for strangers. Its memory lives on, as in CUDA.
  [[nodiscard]] bool destroy(Pool* pool);

 private:
  std::map<Place, Pool> standard_;  // those that somebody asked for
  std::map<Place, Pool*> current_;  // where it is not the standard one
  std::map<const Pool*, std::unique_ptr<Pool>> made_;
};

}  // namespace warpledger::cuda
