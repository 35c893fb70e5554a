// The smallest sample that still gives a duration: for those who ask of many configurations which
// is faster (`--quick`, launches of a benchmark).
#pragma once

#include "warpledger/profile/sampling/sampling_options.h"

namespace warpledger::profile {

/// A wave to fill the caches and one to measure, and as many blocks counted as show whether they
/// are alike. docs/profile.md has what it costs in accuracy.
inline constexpr SamplingOptions kQuickSampling{.max_seconds = 0.02,
                                                .accesses_per_l2_sector = 0,
                                                .cold_waves = 1,
                                                .measured_waves = 1,
                                                .delegates = 27};

}  // namespace warpledger::profile
