// Discrete Fourier transforms of any length, in double: mixed radices, and Bluestein's way where a
// length has a large prime factor. Not scaled, as cuFFT's.
#pragma once

#include <vector>

#include "interpose/math/number.h"

namespace warpledger::math {

/// The numbers of CUFFT_FORWARD and CUFFT_INVERSE: the sign of the exponent.
enum class Direction : int { kForward = -1, kInverse = 1 };

class Fourier {
 public:
  /// Pre: n >= 1.
  explicit Fourier(int64_t n);
  /// X[k] = sum_j x[j] e^(sign 2 pi i j k / n), in place.
  void run(DoubleComplex* x, Direction direction) const;
  [[nodiscard]] int64_t size() const { return n_; }

 private:
  void mix(const DoubleComplex* from, int64_t stride, DoubleComplex* to, int64_t n,
           size_t factor) const;
  void forward(DoubleComplex* x) const;
  void bluestein(DoubleComplex* x) const;
  int64_t n_;
  std::vector<int64_t> factors_;         // empty: Bluestein's
  std::vector<DoubleComplex> roots_;     // e^(-2 pi i j / n); Bluestein: e^(-pi i j^2 / n)
  std::vector<DoubleComplex> spectrum_;  // Bluestein: of the chirp
  std::vector<Fourier> inner_;           // Bluestein: one, of a power of two
};

/// Along one axis of a dense array: `outer` slices of n elements, `inner` apart.
void transform_axis(const Fourier& fourier, DoubleComplex* data, int64_t outer, int64_t inner,
                    Direction direction);

}  // namespace warpledger::math
