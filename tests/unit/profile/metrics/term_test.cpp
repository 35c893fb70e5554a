#include "warpledger/profile/metrics/term.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/inputs.h"

namespace warpledger::profile {
namespace {

Term count(const char* name, uint64_t n, Fidelity fidelity = Fidelity::kExact) {
  return computed(name, [=](const Evidence&) {
    return Value{.raw = static_cast<int64_t>(n), .fidelity = fidelity};
  });
}
Term missing() {
  return computed("missing", [](const Evidence&) { return not_modeled(); });
}

Value value_of(const Term& term) {
  const Profile profile = testing::plain_profile();
  return term({profile, profile.counters});
}

LAW(Term, CountsAreWholeNumbers) {
  const auto a = static_cast<uint64_t>(rng.between(0, int64_t{1} << 60));
  const auto b = static_cast<uint64_t>(rng.between(0, 1 << 20));
  EXPECT_EQ(value_of(count("a", a) + count("b", b)), exact(a + b));
  EXPECT_EQ(value_of(count("a", a) - count("b", std::min(a, b))), exact(a - std::min(a, b)));
  EXPECT_EQ(value_of(Term::excess(count("b", b), count("a", a))), exact(b > a ? b - a : 0));
}

TEST(Term, AValueIsAsGoodAsItsWeakestCount) {
  const Term sum = count("a", 1) + count("b", 2, Fidelity::kModeled);
  EXPECT_EQ(value_of(sum).fidelity, Fidelity::kModeled);
  const Term scaled = count("a", 1) * fact("SMs", [](const Gpu&) { return 2.0; });
  EXPECT_EQ(value_of(scaled).fidelity, Fidelity::kExact);
}

TEST(Term, WhatMissesAnInputHasNoValue) {
  EXPECT_FALSE(value_of(count("a", 1) + missing()).is_known());
  EXPECT_FALSE(value_of(Term::ratio(missing(), count("a", 1))).is_known());
}

TEST(Term, ARatioOfNothingIsZeroAndAQuotientHasNoValue) {
  EXPECT_EQ(value_of(Term::ratio(count("a", 3), count("b", 0))).number(), 0.0);
  EXPECT_FALSE(value_of(Term::quotient(count("a", 3), count("b", 0))).is_known());
}

TEST(Term, TheBusiestLeavesOutWhatHasNoValueAndNeedsTime) {
  const Term busiest = Term::busiest({count("a", 3), missing(), count("b", 7)});
  const auto lookup = [](const Input& input) {
    const Profile profile = testing::plain_profile();
    return input.value({profile, profile.counters});
  };
  EXPECT_EQ(busiest.evaluate(lookup, true).number(), 7.0);
  EXPECT_FALSE(busiest.evaluate(lookup, false).is_known());
}

TEST(Term, TextHasBracketsWhereTheyAreNeeded) {
  const Term a = count("a", 1), b = count("b", 2), c = count("c", 3);
  EXPECT_EQ((32 * (a + b)).text(), "32 x (a + b)");
  EXPECT_EQ((a - (b - c)).text(), "a - (b - c)");
  EXPECT_EQ((a - b + c).text(), "a - b + c");
  EXPECT_EQ((a * Term::quotient(1, b * c)).text(), "a / (b x c)");
  EXPECT_EQ(Term::ratio(100 * a, b).text(), "100 x a / b");
  EXPECT_EQ(Term::named("m.sum", a + b).text(), "m.sum");
}

}  // namespace
}  // namespace warpledger::profile
