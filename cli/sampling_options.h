// The options of `profile` that bound its cost: --threads --budget --exact, and the line that shows
// how far a run is.
#pragma once

#include "cli/progress_line.h"
#include "warpledger/profile/run.h"

namespace warpledger::cli {

struct SamplingFlags {
  uint32_t threads = 0;  // 0: all processors
  profile::SamplingOptions sampling = {};
};

void add_sampling_options(CLI::App& command, SamplingFlags& flags);

/// `line` must outlive the request's run.
void apply(const SamplingFlags& flags, const ProgressLine& line, profile::Request& request);

}  // namespace warpledger::cli
