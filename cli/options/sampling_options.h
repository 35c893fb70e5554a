// The options of `profile` and of studies that bound their cost: --threads --max-seconds --exact
// --quick.
#pragma once

#include "cli/terminal/session.h"
#include "warpledger/profile/sampling/sampling_options.h"

namespace warpledger::cli {

struct SamplingFlags {
  uint32_t threads = 0;  // 0: all processors
  profile::SamplingOptions sampling = {};
  bool quick = false;
};

void add_sampling_options(Command& command, SamplingFlags& flags);
[[nodiscard]] profile::SamplingOptions sampling_of(const SamplingFlags& flags);

}  // namespace warpledger::cli
