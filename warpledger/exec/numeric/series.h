// The series of the approximate functions (approximate.h): interpreter and compiled code evaluate
// the same terms in the same order, c[n], then c[k] + sum * x, and so get the same bits.
#pragma once

#include <array>
#include <cstddef>

namespace warpledger::numeric {

inline constexpr double kLn2 = 0.6931471805599453094;
inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kHalfPiHigh = 1.5707963267341256142;  // 33 bits of pi/2
inline constexpr double kHalfPiLow = 6.0771005065061922e-11;  // the next 53
inline constexpr double kRootHalf = 0.70710678118654752;
inline constexpr double kExp2Most = 200;       // beyond it 2^x is infinite or 0 in f32
inline constexpr double kTanhMost = 20;        // beyond it 1
inline constexpr double kTanhFew = 0.0078125;  // below it three terms of a series

/// 1 / (first (first + 1) .. ), `steps` factors from one term to the next, signs alternating or
/// not.
template <size_t N>
constexpr std::array<double, N> inverse_factorials(int first, int steps, double sign) {
  std::array<double, N> terms{};
  double factorial = 1;
  for (int i = 2; i <= first; ++i) factorial *= i;
  int last = first;
  double signs = 1;
  for (double& term : terms) {
    term = signs / factorial;
    for (int i = 0; i < steps; ++i) factorial *= ++last;
    signs *= sign;
  }
  return terms;
}
template <size_t N>
constexpr std::array<double, N> inverse_odds() {
  std::array<double, N> terms{};
  for (size_t k = 0; k < N; ++k) terms[k] = 1.0 / static_cast<double>(2 * k + 1);
  return terms;
}

inline constexpr auto kExpTerms = inverse_factorials<16>(0, 1, 1);      // e^y, |y| <= 0.35
inline constexpr auto kSineTerms = inverse_factorials<11>(1, 2, -1);    // sin(y) / y, of y^2
inline constexpr auto kCosineTerms = inverse_factorials<11>(0, 2, -1);  // cos(y), of y^2
inline constexpr auto kAtanhTerms = inverse_odds<14>();                 // atanh(y) / y, of y^2

}  // namespace warpledger::numeric
