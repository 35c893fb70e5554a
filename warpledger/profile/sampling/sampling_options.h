// What a request says of its cost: how much of the grid may be left out, and who is told how far
// the run is.
#pragma once

#include <cstdint>
#include <functional>

namespace warpledger::profile {

struct SamplingOptions {
  bool exact = false;       // all blocks, whatever it costs
  double max_seconds = 30;  // exact as long as it is estimated to cost no more
  // Of a sample, for each sector of the L2 at the least: half of it fills the cache, also where
  // most accesses hit the L1 (an 11 x 11 convolution brings one new sector in 30 accesses).
  double accesses_per_l2_sector = 64;
  // Waves at the least: after four of them a naive matmul's rates stand still to 0.1 %.
  uint32_t cold_waves = 4, measured_waves = 4;
  uint32_t delegates = 128;  // blocks at most that are counted for all; 27 at the least
  // Of a launch whose blocks all run, for caches at the least: a second, also of who is in a hurry.
  double prefix_lookups = 2e7;
};

/// Called now and then with the blocks that were started and those that will be.
using Progress = std::function<void(uint64_t started, uint64_t all)>;

}  // namespace warpledger::profile
