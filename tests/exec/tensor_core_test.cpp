// The tensor cores' sums: what the papers report, as cases.
#include "warpledger/exec/numeric/tensor_core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/law.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::numeric {
namespace {

uint32_t bits_of(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
Number number(double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return unpack(kF64, bits);
}
std::vector<Number> numbers(const std::vector<double>& values) {
  std::vector<Number> result;
  for (const double value : values) result.push_back(number(value));
  return result;
}
float dot(int arch, const std::vector<double>& a, const std::vector<double>& b, float c) {
  const uint32_t bits = dot_f32(tensor_core(arch, kF16), numbers(a), numbers(b), bits_of(c));
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

LAW(TensorCore, SmallIntegersAreExact) {
  std::vector<double> a, b;
  double sum = static_cast<double>(rng.between(-1000, 1000));
  const auto c = static_cast<float>(sum);
  for (int i = 0; i < 16; ++i) {
    a.push_back(static_cast<double>(rng.between(-64, 64)));
    b.push_back(static_cast<double>(rng.between(-64, 64)));
    sum += a.back() * b.back();
  }
  for (const int arch : {70, 75, 80, 89, 90, 100})
    EXPECT_EQ(dot(arch, a, b, c), static_cast<float>(sum));
}

// 1 + 2^-24 four times: nothing of it survives without extra bits, all of it with one (Fasi et
// al.).
TEST(TensorCore, ExtraBitsSinceTuring) {
  const double half = std::ldexp(1, -12);
  const std::vector<double> a(4, half), b(4, half);
  EXPECT_EQ(dot(70, a, b, 1), 1.0f);
  EXPECT_EQ(dot(75, a, b, 1), 1.0f + std::ldexp(1.0f, -22));
  EXPECT_EQ(dot(80, a, b, 1), 1.0f + std::ldexp(1.0f, -22));
}

TEST(TensorCore, SumsAreCutNotRounded) {
  const std::vector<double> a{1, 0.75}, b{1, std::ldexp(1, -23)};
  EXPECT_EQ(dot(80, a, b, 0), 1.0f);
  const std::vector<double> minus{-1, -0.75};
  EXPECT_EQ(dot(80, minus, b, 0), -1.0f);
}

// Within a block the order does not matter; across blocks small addends are lost one by one.
TEST(TensorCore, BlocksOfEightOnAmpereSixteenOnHopper) {
  std::vector<double> a(16, std::ldexp(1, -13)), b(16, std::ldexp(1, -12));
  a[0] = 1, b[0] = 1;
  EXPECT_EQ(dot(90, a, b, 0), dot(90, std::vector<double>(a.rbegin(), a.rend()),
                                  std::vector<double>(b.rbegin(), b.rend()), 0));
  EXPECT_EQ(dot(80, a, b, 0), 1.0f);                              // 2^-25 is cut at 24 bits
  EXPECT_EQ(dot(90, a, b, 0), 1.0f + 3 * std::ldexp(1.0f, -23));  // 15 * 2^-25 cut to 2^-23
}

TEST(TensorCore, SpecialValues) {
  const double inf = INFINITY;
  EXPECT_TRUE(std::isnan(dot(80, {inf, -inf}, {1, 1}, 0)));
  EXPECT_TRUE(std::isnan(dot(80, {inf}, {0}, 0)));
  EXPECT_EQ(dot(80, {inf}, {2}, -5), INFINITY);
  EXPECT_EQ(dot(80, {0}, {1}, 0), 0.0f);
  EXPECT_EQ(dot(80, {std::ldexp(1, -24)}, {1}, 0), std::ldexp(1.0f, -24));  // a subnormal half
}

TEST(TensorCore, HalfAccumulatorsRoundToNearestOnce) {
  const TensorCore core = tensor_core(80, kF16);
  const auto c = static_cast<uint16_t>(convert(kF16, kF32, bits_of(1)));
  EXPECT_EQ(dot_f16(core, numbers({std::ldexp(3, -12)}), numbers({1}), c), c + 1);  // 1 + 3/4 ulp
  EXPECT_EQ(dot_f16(core, numbers({std::ldexp(1, -11)}), numbers({1}), c), c);      // a tie to even
}

}  // namespace
}  // namespace warpledger::numeric
