// Transforms against their definition.
#include "interpose/math/fourier.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace warpledger::math {
namespace {

using Numbers = std::vector<DoubleComplex>;

Numbers some(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> one(-1, 1);
  Numbers made(static_cast<size_t>(count));
  for (DoubleComplex& value : made) value = {one(random), one(random)};
  return made;
}

Numbers by_definition(const Numbers& x, Direction direction) {
  const auto n = static_cast<int64_t>(x.size());
  Numbers made(x.size());
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const double angle = static_cast<int>(direction) * 2 * std::numbers::pi *
                           static_cast<double>(j * k % n) / static_cast<double>(n);
      made[static_cast<size_t>(k)] += x[static_cast<size_t>(j)] * std::polar(1.0, angle);
    }
  }
  return made;
}

// Powers of two, other factors, primes small and large, and products of large ones.
TEST(Fourier, IsItsDefinitionForEveryLength) {
  for (int64_t n : {1,  2,  3,  4,  5,  6,  7,   8,   12,  15,   16,  30,
                    31, 37, 49, 64, 74, 97, 100, 143, 211, 1024, 1369}) {
    for (const Direction direction : {Direction::kForward, Direction::kInverse}) {
      const Numbers x = some(n, static_cast<unsigned>(n));
      Numbers made = x;
      Fourier(n).run(made.data(), direction);
      const Numbers wanted = by_definition(x, direction);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_LT(std::abs(made[i] - wanted[i]), 1e-11 * static_cast<double>(n)) << n;
    }
  }
}

TEST(Fourier, GivesTheInputTimesItsLengthBack) {
  for (int64_t n : {1000, 4096, 7919, 65536}) {
    const Numbers x = some(n, 3);
    Numbers made = x;
    const Fourier fourier(n);
    fourier.run(made.data(), Direction::kForward);
    fourier.run(made.data(), Direction::kInverse);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_LT(std::abs(made[i] / static_cast<double>(n) - x[i]), 1e-12) << n;
  }
}

TEST(Fourier, RunsAlongAnAxis) {
  const int64_t outer = 2, n = 6, inner = 3;
  const Numbers x = some(outer * n * inner, 5);
  Numbers made = x;
  transform_axis(Fourier(n), made.data(), outer, inner, Direction::kForward);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Numbers line;
      for (int64_t j = 0; j < n; ++j)
        line.push_back(x[static_cast<size_t>((o * n + j) * inner + i)]);
      const Numbers wanted = by_definition(line, Direction::kForward);
      for (int64_t j = 0; j < n; ++j)
        EXPECT_LT(std::abs(made[static_cast<size_t>((o * n + j) * inner + i)] -
                           wanted[static_cast<size_t>(j)]),
                  1e-12);
    }
  }
}

}  // namespace
}  // namespace warpledger::math
