// What each machine instruction asks of memory on average, from the counters of the PTX
// instructions that it does the work of.
#pragma once

#include "warpledger/profile/value/evidence.h"
#include "warpledger/sass/witness/witness.h"
#include "warpledger/sm/program.h"

namespace warpledger::profile::time {

/// By instruction of the kernel's code.
[[nodiscard]] std::vector<sm::Access> accesses_of(const Evidence& evidence,
                                                  const sass::KernelWitness& kernel);

/// Stores and reductions: nothing comes back.
[[nodiscard]] inline bool is_write(trace::Kind kind) {
  return kind == trace::Kind::kStore || kind == trace::Kind::kReduction;
}

}  // namespace warpledger::profile::time
