// What warps wait for: the counters of a launch become what one SM is given (sm/sm.h), and the
// simulated SM's states are the launch's. SMs are alike, but for one thread block more or less.
#pragma once

#include "warpledger/profile/value/evidence.h"
#include "warpledger/sass/witness/witness.h"
#include "warpledger/sm/sm.h"

namespace warpledger::profile::time {

/// What one SM is given.
struct SmWork {
  sm::Hardware hardware;
  sm::Counts counts;
  sm::Launch launch;   // of the SMs that get the most thread blocks
  double fullest = 1;  // the share of these; the others get one less
  sm::Rates rates;
};

/// Nothing where the GPU's file lacks a latency. Without `paths` all warps go a mean way, and do
/// not wait for mbarriers. Pre: the profile's program is `kernel`'s.
[[nodiscard]] std::optional<SmWork> sm_work(const Evidence& evidence,
                                            const sass::KernelWitness& kernel,
                                            const std::optional<sm::Paths>& paths = {});

struct WarpStates {
  sm::States states;  // by PTX instruction, and one more: Profile::states
  std::optional<AwaitedLine> awaited = {};
  bool has_paths = false;  // warps went their own ways, and waited for mbarriers
  uint64_t endless = 0;    // of these waits, those that had no end
};

/// Of the launch; as sm_work().
[[nodiscard]] std::optional<WarpStates> warp_states(const Evidence& evidence,
                                                    const sass::KernelWitness& kernel,
                                                    const std::optional<sm::Paths>& paths = {});

/// The same by machine instruction, as sm/ answers it.
[[nodiscard]] std::optional<sm::States> machine_states(const Evidence& evidence,
                                                       const sass::KernelWitness& kernel);

/// When thread blocks were on the SM, from a simulation of up to 20 times the effort; empty where
/// sm_work() is, or where no block ends in that time.
[[nodiscard]] std::vector<sm::BlockSpan> block_spans(const Evidence& evidence,
                                                     const sass::KernelWitness& kernel);

}  // namespace warpledger::profile::time
