// The roofline of a launch at three levels: flops per byte that crosses DRAM, L2 and L1, against
// what each of them and the arithmetic pipe can do at the clocks of the profile.
#pragma once

#include "warpledger/profile/value/profile.h"
#include "warpledger/render/document.h"

namespace warpledger::report {

/// One memory level under the launch.
struct Roof {
  std::string level;
  double bytes = 0;             // that the launch moved over it
  double bytes_per_second = 0;  // that it can move
};
/// Those that the GPU's file has numbers for.
[[nodiscard]] std::vector<Roof> roofs_of(const profile::Profile& profile);

/// Sentences instead of a picture when there is no arithmetic or no time.
[[nodiscard]] Block roofline(const profile::Profile& profile);

}  // namespace warpledger::report
