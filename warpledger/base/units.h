// Strong units: a count of sectors cannot be added to a count of bytes by accident.
#pragma once

#include <compare>
#include <cstdint>

namespace warpledger {

template <class Tag>
struct Quantity {
  int64_t count = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(int64_t n) : count(n) {}

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.count + b.count);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.count - b.count);
  }
  friend constexpr Quantity operator*(Quantity a, int64_t n) { return Quantity(a.count * n); }
  friend constexpr Quantity operator*(int64_t n, Quantity a) { return a * n; }
  friend constexpr int64_t operator/(Quantity a, Quantity b) { return a.count / b.count; }
  constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }
  constexpr Quantity& operator-=(Quantity b) { return *this = *this - b; }
};

using Bytes = Quantity<struct BytesTag>;
using Sectors = Quantity<struct SectorsTag>;  // 32 bytes each
using Lines = Quantity<struct LinesTag>;      // 128 bytes each
using Requests = Quantity<struct RequestsTag>;
using Wavefronts = Quantity<struct WavefrontsTag>;
using Cycles = Quantity<struct CyclesTag>;

inline constexpr int64_t kSectorBytes = 32;
inline constexpr int64_t kLineBytes = 128;

[[nodiscard]] constexpr Bytes bytes_of(Sectors sectors) {
  return Bytes(sectors.count * kSectorBytes);
}

/// The smallest multiple of `unit` that is >= n. Pre: n >= 0, unit > 0.
[[nodiscard]] constexpr int64_t round_up(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}
[[nodiscard]] constexpr int64_t ceil_div(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

}  // namespace warpledger
