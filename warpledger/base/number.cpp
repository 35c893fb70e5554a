#include "warpledger/base/number.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace warpledger {

std::string group_thousands(std::string_view decimal) {
  const size_t first = decimal.starts_with('-') ? 1 : 0;
  const size_t point = std::min(decimal.find('.'), decimal.size());
  std::string grouped(decimal.substr(0, first));
  for (size_t i = first; i < point; ++i) {
    if (i > first && (point - i) % 3 == 0) grouped += ',';
    grouped += decimal[i];
  }
  return grouped + std::string(decimal.substr(point));
}

std::string group_thousands(int64_t n) { return group_thousands(std::to_string(n)); }

std::string ncu_number(double value) {
  const bool whole = value == std::trunc(value);
  return group_thousands(whole ? fmt::format("{:.0f}", value + 0.0) : fmt::format("{:.2f}", value));
}

}  // namespace warpledger
