// A batch of transforms of one to three dimensions, as cuFFT's plans describe them: where elements
// lie, complex or real on either side.
#pragma once

#include <array>

#include "interpose/math/fourier.h"

namespace warpledger::math {

/// One side of a batch. Element (i0, i1, i2) of transform b is at
/// b distance + stride ((i0 embed1 + i1) embed2 + i2), the last axis fastest.
struct FourierLayout {
  std::array<int64_t, 3> embed = {1, 1, 1};
  int64_t stride = 1, distance = 0;
};

enum class FourierKind { kComplex, kRealToComplex, kComplexToReal };

struct FourierPlan {
  FourierKind kind = FourierKind::kComplex;
  bool in_double = false;
  std::array<int64_t, 3> n = {1, 1, 1};  // unused axes are 1, in front
  FourierLayout in, out;
  int64_t batch = 1;

  /// n, but half of the last axis where that side is the half of a spectrum of real data.
  [[nodiscard]] std::array<int64_t, 3> in_sizes() const;
  [[nodiscard]] std::array<int64_t, 3> out_sizes() const;
};

/// One past the last element that the side touches.
[[nodiscard]] int64_t extent(const FourierLayout& layout, const std::array<int64_t, 3>& sizes,
                             int64_t batch);

/// kInverse where the kind is kComplexToReal, kForward for the other way. `to` may be `from`.
void execute(const FourierPlan& plan, const void* from, void* to, Direction direction);

}  // namespace warpledger::math
