// Plans against sums by definition: dimensions, layouts, real data.
#include "interpose/math/fourier_plan.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace warpledger::math {
namespace {

using Sizes = std::array<int64_t, 3>;
using Numbers = std::vector<DoubleComplex>;

int64_t at(const FourierLayout& layout, int64_t one, Sizes i) {
  return one * layout.distance +
         layout.stride * ((i[0] * layout.embed[1] + i[1]) * layout.embed[2] + i[2]);
}

template <class Visit>
void for_each(Sizes n, Visit visit) {
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j)
      for (int64_t k = 0; k < n[2]; ++k) visit(Sizes{i, j, k});
}

/// The coefficient k of transform `one` of x, which lies as `layout` says.
DoubleComplex coefficient(const Numbers& x, const FourierPlan& plan, int64_t one, Sizes k,
                          double sign) {
  DoubleComplex sum = 0;
  for_each(plan.n, [&](Sizes i) {
    double angle = 0;
    for (size_t axis = 0; axis < 3; ++axis)
      angle += static_cast<double>(i[axis] * k[axis]) / static_cast<double>(plan.n[axis]);
    sum += x[static_cast<size_t>(at(plan.in, one, i))] *
           std::polar(1.0, sign * 2 * std::numbers::pi * angle);
  });
  return sum;
}

Numbers some(int64_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> one(-1, 1);
  Numbers made(static_cast<size_t>(count));
  for (DoubleComplex& value : made) value = {one(random), one(random)};
  return made;
}

TEST(FourierPlans, AreTheirDefinitionWithStridesAndBatches) {
  const FourierPlan plan{.in_double = true,
                         .n = {2, 3, 4},
                         .in = {.embed = {2, 4, 5}, .stride = 2, .distance = 1},
                         .out = {.embed = {2, 3, 6}, .stride = 1, .distance = 40},
                         .batch = 2};
  const Numbers x = some(extent(plan.in, plan.in_sizes(), 2));
  Numbers y(static_cast<size_t>(extent(plan.out, plan.out_sizes(), 2)), 77);
  execute(plan, x.data(), y.data(), Direction::kInverse);
  for (int64_t one = 0; one < 2; ++one) {
    for_each(plan.n, [&](Sizes k) {
      const DoubleComplex wanted = coefficient(x, plan, one, k, 1);
      EXPECT_LT(std::abs(y[static_cast<size_t>(at(plan.out, one, k))] - wanted), 1e-12);
    });
  }
  EXPECT_EQ(y[5], DoubleComplex(77)) << "between rows nothing is written";
}

TEST(FourierPlans, OfRealDataKeepHalfASpectrumAndComeBack) {
  for (const int64_t last : {1, 4, 5}) {
    FourierPlan plan{.kind = FourierKind::kRealToComplex, .in_double = true, .n = {2, 3, last}};
    const Sizes half = plan.out_sizes();
    plan.in = {.embed = plan.n, .distance = 6 * last};
    plan.out = {.embed = half, .distance = 6 * half[2]};
    std::vector<double> x;
    Numbers as_complex;
    for (const DoubleComplex& value : some(6 * last)) {
      x.push_back(value.real());
      as_complex.emplace_back(value.real());
    }
    Numbers y(static_cast<size_t>(6 * half[2]));
    execute(plan, x.data(), y.data(), Direction::kForward);
    for_each(half, [&](Sizes k) {
      const DoubleComplex wanted = coefficient(as_complex, plan, 0, k, -1);
      EXPECT_LT(std::abs(y[static_cast<size_t>(at(plan.out, 0, k))] - wanted), 1e-12);
    });
    FourierPlan back = plan;
    back.kind = FourierKind::kComplexToReal;
    std::swap(back.in, back.out);
    std::vector<double> again(x.size());
    execute(back, y.data(), again.data(), Direction::kInverse);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(again[i] / static_cast<double>(6 * last), x[i], 1e-13);
  }
}

}  // namespace
}  // namespace warpledger::math
