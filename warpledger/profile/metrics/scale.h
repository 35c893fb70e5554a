// The unit in which ncu prints a number: byte, Kbyte, Mbyte; ns, us, ms; hz, Mhz.
#pragma once

#include <string>

namespace warpledger::profile {

struct Scale {
  double by = 1;
  std::string unit;
};

/// The one that fits a value in the base unit.
[[nodiscard]] Scale scale_of(double value, const std::string& unit);

}  // namespace warpledger::profile
