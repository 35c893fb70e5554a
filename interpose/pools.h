// Memory pools of both doors. Memory comes from the device's one heap and goes back when it is
// freed; a pool keeps its attributes and knows which live allocations came from it.
#pragma once

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

class Pool {
 public:
  explicit Pool(uint64_t max_bytes = 0) : max_bytes_(max_bytes) {}

  void add(uint64_t address, uint64_t bytes) { allocations_[address] = bytes; }
  /// Live bytes that came from here; the high-water mark follows.
  [[nodiscard]] uint64_t used(const Memory& memory);
  /// Whether so many bytes more stay under what the pool was created with.
  [[nodiscard]] bool has_room(const Memory& memory, uint64_t bytes);
  [[nodiscard]] std::optional<uint64_t> get(const Memory& memory, PoolAttribute attribute);
  /// Fails for what only the device counts; marks can be set to zero.
  [[nodiscard]] bool set(PoolAttribute attribute, uint64_t value);

 private:
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

  [[nodiscard]] Pool& standard() { return standard_; }
  [[nodiscard]] Pool& current() { return *current_; }
  void make_current(Pool& pool) { current_ = &pool; }
  [[nodiscard]] Pool* create(uint64_t max_bytes);
  [[nodiscard]] bool knows(const Pool* pool) const;
  /// Fails for the standard one and for strangers. Its memory lives on, as in CUDA.
  [[nodiscard]] bool destroy(Pool* pool);

 private:
  Pool standard_;
  Pool* current_ = &standard_;
  std::map<const Pool*, std::unique_ptr<Pool>> made_;
};

}  // namespace warpledger::cuda
