#include "interpose/math/fourier.h"

#include <algorithm>
#include <numbers>

namespace warpledger::math {
namespace {

constexpr int64_t kLargestFactor = 31;

/// Empty where one is larger than kLargestFactor.
std::vector<int64_t> small_factors(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p <= kLargestFactor && n > 1; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.clear();
  return factors;
}

/// e^(-2 pi i j / n).
DoubleComplex root(int64_t j, int64_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
}

}  // namespace

Fourier::Fourier(int64_t n) : n_(n), factors_(small_factors(n)) {
  if (n == 1) return;
  roots_.reserve(static_cast<size_t>(n));
  const bool is_mixed = !factors_.empty();
  for (int64_t j = 0, square = 0; j < n; ++j) {
    roots_.push_back(is_mixed ? root(j, n) : root(square, 2 * n));
    square = (square + 2 * j + 1) % (2 * n);  // j^2: so the angle stays exact
  }
  if (is_mixed) return;
  int64_t length = 1;
  while (length < 2 * n) length *= 2;
  inner_.emplace_back(length);
  spectrum_.assign(static_cast<size_t>(length), 0);
  for (int64_t j = 0; j < n; ++j) {
    const DoubleComplex chirp = std::conj(roots_[static_cast<size_t>(j)]);
    spectrum_[static_cast<size_t>(j)] = chirp;
    if (j > 0) spectrum_[static_cast<size_t>(length - j)] = chirp;
  }
  inner_[0].run(spectrum_.data(), Direction::kForward);
}

/// to[0..n) = the transform of from[0], from[stride], ...
void Fourier::mix(const DoubleComplex* from, int64_t stride, DoubleComplex* to, int64_t n,
                  size_t factor) const {
  if (n == 1) {
    *to = *from;
    return;
  }
  const int64_t p = factors_[factor], m = n / p;
  for (int64_t r = 0; r < p; ++r) mix(from + r * stride, stride * p, to + r * m, m, factor + 1);
  DoubleComplex parts[kLargestFactor];
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r)
      parts[r] = to[r * m + k] * roots_[static_cast<size_t>(r * k * stride % n_)];
    for (int64_t q = 0; q < p; ++q) {
      DoubleComplex sum = parts[0];
      for (int64_t r = 1; r < p; ++r)
        sum += parts[r] * roots_[static_cast<size_t>(r * q % p * (n_ / p))];
      to[q * m + k] = sum;
    }
  }
}

void Fourier::bluestein(DoubleComplex* x) const {
  std::vector<DoubleComplex> work(spectrum_.size());
  for (int64_t j = 0; j < n_; ++j)
    work[static_cast<size_t>(j)] = x[j] * roots_[static_cast<size_t>(j)];
  inner_[0].run(work.data(), Direction::kForward);
  for (size_t j = 0; j < work.size(); ++j) work[j] *= spectrum_[j];
  inner_[0].run(work.data(), Direction::kInverse);
  const double scale = 1 / static_cast<double>(work.size());
  for (int64_t j = 0; j < n_; ++j)
    x[j] = work[static_cast<size_t>(j)] * scale * roots_[static_cast<size_t>(j)];
}

void Fourier::forward(DoubleComplex* x) const {
  if (factors_.empty()) return bluestein(x);
  const std::vector<DoubleComplex> from(x, x + n_);
  mix(from.data(), 1, x, n_, 0);
}

void Fourier::run(DoubleComplex* x, Direction direction) const {
  if (n_ == 1) return;
  const auto flip = [&] { std::transform(x, x + n_, x, [](auto one) { return std::conj(one); }); };
  if (direction == Direction::kInverse) flip();
  forward(x);
  if (direction == Direction::kInverse) flip();
}

void transform_axis(const Fourier& fourier, DoubleComplex* data, int64_t outer, int64_t inner,
                    Direction direction) {
  const int64_t n = fourier.size();
  std::vector<DoubleComplex> line(static_cast<size_t>(n));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      DoubleComplex* at = data + o * n * inner + i;
      for (int64_t j = 0; j < n; ++j) line[static_cast<size_t>(j)] = at[j * inner];
      fourier.run(line.data(), direction);
      for (int64_t j = 0; j < n; ++j) at[j * inner] = line[static_cast<size_t>(j)];
    }
  }
}

}  // namespace warpledger::math
