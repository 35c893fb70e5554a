// Random expressions with an oracle: every sample carries its value at fixed sizes modulo the
// prime 2^31 - 1, computed beside the expression by ordinary arithmetic. A quotient is compared
// through its numerator and denominator, so nothing is rounded and nothing overflows.
#pragma once

#include <array>
#include <string>

#include "tests/support/law.h"
#include "warpledger/algebra/expression.h"

namespace warpledger::testing {

inline constexpr uint64_t kPrime = (uint64_t{1} << 31) - 1;

inline uint64_t times(uint64_t a, uint64_t b) { return a * b % kPrime; }
inline uint64_t plus(uint64_t a, uint64_t b) { return (a + b) % kPrime; }
inline uint64_t minus(uint64_t a, uint64_t b) { return (a + kPrime - b) % kPrime; }
inline uint64_t inverse(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t e = kPrime - 2; e != 0; e >>= 1, a = times(a, a)) {
    if (e & 1) result = times(result, a);
  }
  return result;
}

inline const Sizes kSizes = {{"Bc", 48}, {"Br", 64}, {"N", 8191}, {"d", 127}, {"h_2", 3}};

struct Sample {
  Expression e;
  uint64_t value = 0;
};

inline uint64_t modulo_prime(const Expression& integer) {
  uint64_t value = 0;
  const std::string text = integer.to_text();
  for (const char c : text) {
    if (c != '-') value = plus(times(value, 10), static_cast<uint64_t>(c - '0'));
  }
  return text[0] == '-' ? minus(0, value) : value;
}

inline Sample any_leaf(Rng& rng) {
  static const std::array<std::string, 5> names = {"Bc", "Br", "N", "d", "h_2"};
  if (rng.coin()) {
    const std::string& name = rng.pick(names);
    return {Expression::size(name), static_cast<uint64_t>(kSizes.at(name))};
  }
  const int64_t n = rng.between(-9, 9);
  return {n, n < 0 ? minus(0, static_cast<uint64_t>(-n)) : static_cast<uint64_t>(n)};
}

inline Sample any_sample(Rng& rng, int operations) {
  if (operations <= 0) return any_leaf(rng);
  const int left = static_cast<int>(rng.between(0, operations - 1));
  const Sample a = any_sample(rng, left), b = any_sample(rng, operations - 1 - left);
  switch (rng.between(0, 4)) {
    case 0:
      return {a.e + b.e, plus(a.value, b.value)};
    case 1:
      return {a.e - b.e, minus(a.value, b.value)};
    case 2:
      return {b.value == 0 ? a.e : a.e / b.e,
              b.value == 0 ? a.value : times(a.value, inverse(b.value))};
    default:
      return {a.e * b.e, times(a.value, b.value)};
  }
}

/// Grows with the round, up to eight operations.
inline Sample any_sample(Rng& rng) { return any_sample(rng, 1 + rng.size() / 14); }

}  // namespace warpledger::testing
