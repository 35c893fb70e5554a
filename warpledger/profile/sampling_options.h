// What a request says of its cost: how much of the grid may be left out, and who is told how far
// the run is.
#pragma once

#include <cstdint>
#include <functional>

namespace warpledger::profile {

struct SamplingOptions {
  bool exact = false;           // all blocks, whatever it costs
  double budget_seconds = 30;   // exact as long as it is estimated to cost no more
  double least_accesses = 5e6;  // of a sample, a quarter of a second: less is not worth a guess
};

/// Called now and then with the blocks that were started and those that will be.
using Progress = std::function<void(uint64_t started, uint64_t all)>;

}  // namespace warpledger::profile
