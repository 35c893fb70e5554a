// Values as ncu prints them: grouped, two decimals, units scaled by 1000 (8,192 byte -> 8.19
// Kbyte).
#pragma once

#include <string>

#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {

/// ncu's --print-units: auto scales, base does not.
enum class Units : uint8_t { kAuto, kBase };

inline constexpr const char* kNotModeled = "not modeled yet";

struct Shown {
  std::string value;  // "8.19"; with a band "8.19 (8.10..8.31)"
  std::string unit;   // "Kbyte"
};

[[nodiscard]] Shown show(const Value& value, const std::string& unit, Units units);

/// The value as a table's cell; the raw value stays in the base unit.
[[nodiscard]] Cell cell_of(const Value& value, const std::string& unit, Units units);

}  // namespace warpledger::profile
