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
Factor factor(double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return unpack_factor(kF64, bits);
}
std::vector<Factor> factors(const std::vector<double>& values) {
  std::vector<Factor> result;
  for (const double value : values) result.push_back(factor(value));
  return result;
}
float dot(int arch, const std::vector<double>& a, const std::vector<double>& b, float c) {
  const uint32_t bits = dot_f32(tensor_core(arch, kF16), factors(a), factors(b), bits_of(c));
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

// 1.5 * 1.5 = 2.25 counts as 2^0: what it is aligned with is cut at 2^-24, not at 2^-23.
TEST(TensorCore, ProductsAreAlignedByTheSumOfTheirExponents) {
  const std::vector<double> a{1.5, -1.5, std::ldexp(1, -12)}, b{1.5, 1.5, std::ldexp(1, -12)};
  EXPECT_EQ(dot(80, a, b, 0), std::ldexp(1.0f, -24));
  EXPECT_EQ(dot(80, {2, -2, a[2]}, {2, 2, b[2]}, 0), 0.0f);  // 2 * 2 counts as 2^2
}

TEST(TensorCore, BlocksOfEightOnTuring) {
  std::vector<double> a(8, std::ldexp(1, -12)), b(8, std::ldexp(1, -12));
  EXPECT_EQ(dot(75, a, b, 1), 1.0f + std::ldexp(1.0f, -21));  // 8 * 2^-24 at once
  EXPECT_EQ(dot(70, a, b, 1), 1.0f);
}

TEST(TensorCore, SumsThatAreTooLargeAreInfinite) {
  EXPECT_EQ(dot(80, {65504, 65504}, {65504, 65504}, 3e38f), 3e38f + 2 * 65504.0f * 65504.0f);
  const TensorCore bf16 = tensor_core(80, kBf16);
  const std::vector<Factor> huge = factors({std::ldexp(1, 127), std::ldexp(1, 127)});
  EXPECT_EQ(dot_f32(bf16, huge, factors({1, 1}), 0), 0x7f800000u);
}

uint32_t dot_f8(int arch, const std::vector<double>& a, const std::vector<double>& b, float c) {
  return dot_f32(tensor_core(arch, kE4m3), factors(a), factors(b), bits_of(c));
}

// sm_89 keeps 13 fraction bits in the sum and in the result; sm_120 all of them.
TEST(TensorCore, EightBitFloatsKeepThirteenBitsOnAda) {
  const std::vector<double> a{64, std::ldexp(1, -7)}, b{1, 1};
  EXPECT_EQ(dot_f8(89, a, b, 0), bits_of(64 + std::ldexp(1.0f, -7)));
  EXPECT_EQ(dot_f8(89, a, b, 64), bits_of(128));  // the last of 14 bits
  EXPECT_EQ(dot_f8(120, a, b, 64), bits_of(128 + std::ldexp(1.0f, -7)));
}

// sm_90 and sm_100: elements 0, 1 of four, then 2, 3, from zero; C is added last, to nearest.
TEST(TensorCore, EightBitFloatsGoThroughF16OnHopper) {
  const float small = std::ldexp(3.0f, -25);  // 3/4 of the last place of 1
  EXPECT_EQ(dot_f8(90, {1}, {1}, small), 0x3f800001u);
  EXPECT_EQ(dot_f8(120, {1}, {1}, small), 0x3f800000u);
  // 2^16 - 2^16 meet alone in the first block; with them in one block 2^-18 would be cut.
  const double big = 256 * 1.0, tiny = std::ldexp(1, -9);
  const std::vector<double> a{big, -big, tiny, tiny}, b{big, big, tiny, tiny};
  EXPECT_EQ(dot_f8(90, a, b, 0), bits_of(std::ldexp(1.0f, -17)));
  EXPECT_EQ(dot_f8(120, a, b, 0), 0u);  // 2^-18 is cut at 2^(16-25)
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
  EXPECT_EQ(dot_f16(core, factors({std::ldexp(3, -12)}), factors({1}), c), c + 1);  // 1 + 3/4 ulp
  EXPECT_EQ(dot_f16(core, factors({std::ldexp(1, -11)}), factors({1}), c), c);      // a tie to even
}

}  // namespace
}  // namespace warpledger::numeric
