// BLAS level 1. A vector with a negative increment begins at its far end; where BLAS takes one
// vector, it takes none with an increment below 1. Sums of floats are summed in double.
#pragma once

#include <limits>

#include "interpose/math/number.h"

namespace warpledger::math {

template <class T>
struct Vector {
  T* data = nullptr;
  int64_t n = 0, increment = 1;

  [[nodiscard]] T& operator[](int64_t i) const {
    return data[(increment < 0 ? (i + 1 - n) : i) * increment];
  }
  [[nodiscard]] bool is_none() const { return n <= 0 || increment <= 0; }
};

/// What sums are kept in.
template <class T>
using Sum = std::conditional_t<kIsComplex<T>, DoubleComplex, double>;

/// Both are Vectors; so that alpha may be of the vectors' real type.
template <class T, class S>
void axpy(S alpha, Vector<const T> x, Vector<T> y) {
  for (int64_t i = 0; i < x.n; ++i) y[i] += alpha * x[i];
}

template <class T>
T dot(Vector<const T> x, Vector<const T> y, bool conjugates) {
  Sum<T> sum{};
  for (int64_t i = 0; i < x.n; ++i)
    sum += convert<Sum<T>>(conjugates ? conjugate(x[i]) : x[i]) * convert<Sum<T>>(y[i]);
  return convert<T>(sum);
}

/// Scaled, so that no square overflows.
template <class T>
Real<T> nrm2(Vector<const T> x) {
  if (x.is_none()) return 0;
  double largest = 0, sum = 0;
  for (int64_t i = 0; i < x.n; ++i) {
    const double size = std::abs(x[i]);
    if (std::isnan(size)) return std::numeric_limits<Real<T>>::quiet_NaN();
    largest = std::max(largest, size);
  }
  if (largest == 0 || std::isinf(largest)) return static_cast<Real<T>>(largest);
  for (int64_t i = 0; i < x.n; ++i) {
    const double part = std::abs(x[i]) / largest;
    sum += part * part;
  }
  return static_cast<Real<T>>(largest * std::sqrt(sum));
}

/// |real| + |imaginary|.
template <class T>
double size_1(T value) {
  if constexpr (kIsComplex<T>) {
    return std::abs(static_cast<double>(value.real())) +
           std::abs(static_cast<double>(value.imag()));
  } else {
    return std::abs(static_cast<double>(value));
  }
}

template <class T>
Real<T> asum(Vector<const T> x) {
  double sum = 0;
  for (int64_t i = 0; i < x.n && !x.is_none(); ++i) sum += size_1(x[i]);
  return static_cast<Real<T>>(sum);
}

/// The first of the largest (or smallest), counted from 1; 0 where there is none.
template <class T>
int64_t find_extreme(Vector<const T> x, bool largest) {
  if (x.is_none()) return 0;
  int64_t at = 0;
  for (int64_t i = 1; i < x.n; ++i) {
    const double now = size_1(x[i]), before = size_1(x[at]);
    if (largest ? now > before : now < before) at = i;
  }
  return at + 1;
}

template <class T, class S>
void scal(S alpha, Vector<T> x) {
  for (int64_t i = 0; i < x.n && !x.is_none(); ++i) x[i] = alpha * x[i];
}

template <class T>
void copy(Vector<const T> x, Vector<T> y) {
  for (int64_t i = 0; i < x.n; ++i) y[i] = x[i];
}

template <class T>
void swap(Vector<T> x, Vector<T> y) {
  for (int64_t i = 0; i < x.n; ++i) std::swap(x[i], y[i]);
}

/// x, y = c x + s y, c y - conj(s) x.
template <class T, class S>
void rot(Vector<T> x, Vector<T> y, Real<T> c, S s) {
  for (int64_t i = 0; i < x.n; ++i) {
    const T before = x[i];
    x[i] = c * before + s * y[i];
    y[i] = c * y[i] - conjugate(s) * before;
  }
}

}  // namespace warpledger::math
