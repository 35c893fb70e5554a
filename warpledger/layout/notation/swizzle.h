// Swizzle<B,M,S> as CuTe defines it (cute/swizzle.hpp, also the hardware's shared-memory modes):
// for S >= 0 the B bits at M+S are added to the B bits at M, for S < 0 the B bits at M to those at
// M-S. It is linear over F2 and its own inverse.
#pragma once

#include <cstdint>
#include <string>

#include "warpledger/layout/linear_map.h"

namespace warpledger {

struct Swizzle {
  int bits = 0;   // B
  int base = 0;   // M
  int shift = 0;  // S, |S| >= B

  [[nodiscard]] uint64_t operator()(uint64_t offset) const;
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// The swizzle as a map of (offset size) to itself. Pre: size is a power of two.
[[nodiscard]] LinearMap swizzle_map(const Swizzle& swizzle, int64_t size);
/// "Swizzle<3,4,3>".
[[nodiscard]] std::string to_text(const Swizzle& swizzle);

}  // namespace warpledger
