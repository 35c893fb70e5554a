// The units in which memory moves, and rounding to them.
#pragma once

#include <cstdint>

namespace warpledger {

inline constexpr int64_t kSectorBytes = 32;
inline constexpr int64_t kLineBytes = 128;

/// The smallest multiple of `unit` that is >= n. Pre: n >= 0, unit > 0.
[[nodiscard]] constexpr int64_t round_up(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}
[[nodiscard]] constexpr int64_t ceil_div(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

}  // namespace warpledger
