// A launch's thread blocks over time, in the trace format of Chrome, which Perfetto opens: the GPU
// is a process with the kernel, the simulated SM another with a row for each place that a block may
// have. All SMs are taken to be alike. Every time is modeled, and the file says so.
#pragma once

#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::report {

/// JSON: complete events in microseconds. Fails where the model has no time for the launch, or no
/// simulated SM. Post: blocks of a place follow each other, and lie within the kernel.
[[nodiscard]] Result<std::string> block_trace(const profile::Profile& profile,
                                              const profile::MachineCode& code);

}  // namespace warpledger::report
