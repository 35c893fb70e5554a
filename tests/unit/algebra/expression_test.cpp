#include "warpledger/algebra/expression.h"

#include <gtest/gtest.h>

#include "tests/unit/algebra/samples.h"

namespace warpledger {

void PrintTo(const Expression& e, std::ostream* out) { *out << e.to_text(); }

namespace {

using testing::any_sample;
using testing::kSizes;
using testing::modulo_prime;
using testing::Sample;

const Expression N = Expression::size("N");
const Expression d = Expression::size("d");
const Expression Br = Expression::size("Br");

LAW_ROUNDS(Expression, EvaluationAgreesWithPlainArithmetic, 500) {
  const Sample s = any_sample(rng);
  const Result<Expression> value = s.e.evaluate(kSizes);
  ASSERT_TRUE(value) << s.e.to_text();
  ASSERT_TRUE(value->is_constant());
  EXPECT_EQ(modulo_prime(value->numerator()),
            testing::times(s.value, modulo_prime(value->denominator())))
      << s.e.to_text();
}

LAW(Expression, IsACommutativeRing) {
  const Expression a = any_sample(rng).e, b = any_sample(rng).e, c = any_sample(rng, 3).e;
  EXPECT_EQ(a + b, b + a);
  EXPECT_EQ(a * b, b * a);
  EXPECT_EQ((a + b) + c, a + (b + c));
  EXPECT_EQ((a * b) * c, a * (b * c));
  EXPECT_EQ(a * (b + c), a * b + a * c);
  EXPECT_EQ(a - a, Expression(0));
  EXPECT_EQ(a + 0, a);
  EXPECT_EQ(a * 1, a);
}

LAW(Expression, DivisionUndoesMultiplication) {
  const Expression a = any_sample(rng).e, b = any_sample(rng).e;
  if (b.is_zero()) return;
  EXPECT_EQ(a * b / b, a);
  EXPECT_EQ(a / b * b, a);
  EXPECT_EQ(b.pow(-2) * b.pow(3), b);
}

LAW_ROUNDS(Expression, TextReadsBack, 500) {
  const Expression e = any_sample(rng).e;
  for (const std::string& text : {e.to_text(), e.expanded_text()}) {
    const Result<Expression> again = parse_expression(text);
    ASSERT_TRUE(again) << to_text(again.error());
    EXPECT_EQ(*again, e) << text;
    EXPECT_EQ(again->to_text(), e.to_text());
  }
}

LAW(Expression, SubstitutionCommutesWithEvaluation) {
  const Expression e = any_sample(rng).e, inner = any_sample(rng, 3).e;
  const Result<Expression> at = inner.evaluate(kSizes);
  const Result<Expression> replaced = e.substitute({{"N", inner}});
  if (!at || !replaced) return;
  Substitution direct(kSizes.begin(), kSizes.end());
  direct["N"] = *at;
  const Result<Expression> a = e.substitute(direct), b = replaced->evaluate(kSizes);
  // A pole of the composition may be removable, never the other way round.
  if (a) {
    EXPECT_EQ(*a, *b);
  }
}

LAW(Expression, ComparesLikeItsDoubles) {
  const Expression a = Expression(rng.between(-99, 99)) / rng.between(1, 99);
  const Expression b = Expression(rng.between(-99, 99)) / rng.between(1, 99);
  EXPECT_EQ(compare(a, b) < 0, to_double(a) < to_double(b));
  EXPECT_EQ(compare(a, b) == 0, a == b);
}

TEST(Expression, WritesTheAttentionFormulas) {
  const Expression naive = 12 * N * d + 16 * N * N, flash = 8 * N * d * (1 + N / Br);
  EXPECT_EQ(naive.to_text(), "4*N*(3*d + 4*N)");
  EXPECT_EQ(naive.expanded_text(), "12*N*d + 16*N^2");
  EXPECT_EQ(flash.to_text(), "8*N*d*(1 + N/Br)");
  EXPECT_EQ(flash.expanded_text(), "8*N*d + 8*N^2*d/Br");
  EXPECT_EQ((naive - flash).expanded_text(), "4*N*d + 16*N^2 - 8*N^2*d/Br");
  EXPECT_EQ((naive - flash).to_text(), "4*N*(d + 4*N - 2*N*d/Br)");
}

TEST(Expression, WritesSignsAndQuotientsAsAPersonDoes) {
  EXPECT_EQ((d - N).to_text(), "d - N");
  EXPECT_EQ((N - d).to_text(), "N - d");
  EXPECT_EQ((-N - d).to_text(), "-(d + N)");
  EXPECT_EQ((N / 2).to_text(), "N/2");
  EXPECT_EQ((N / (2 * Br)).to_text(), "N/(2*Br)");
  EXPECT_EQ((1 / N).to_text(), "1/N");
  EXPECT_EQ((-3 * N / (N + d)).to_text(), "-3*N/(d + N)");
  EXPECT_EQ(((N + 64) * N / 8).to_text(), "N*(64 + N)/8");
  EXPECT_EQ((N + 1).pow(2).to_text(), "(1 + N)^2");
  EXPECT_EQ((Expression(7) / 3).to_text(), "7/3");
  EXPECT_EQ(((N + 1) / (N + d)).expanded_text(), "(1 + N)/(d + N)");
}

// FLINT would search for minutes for factors of the second.
TEST(Expression, WritesHighDegreesAtOnce) {
  const Expression power = *parse_expression("(a - b)^40");
  EXPECT_EQ(power.to_text(), "(a - b)^40");
  const Expression sum = *parse_expression("(a - b)^24 + b - 1");
  EXPECT_EQ(*parse_expression(sum.to_text()), sum);
}

TEST(Expression, EvaluatesTheSeedSizes) {
  const Expression naive = 12 * N * d + 16 * N * N;
  EXPECT_EQ((naive / 2).evaluate({{"N", 64}, {"d", 64}})->as_integer(), 57'344);
}

TEST(Expression, HoldsIntegersOfAnyLength) {
  const Expression big = Expression(int64_t{1} << 62).pow(3);
  EXPECT_EQ(big.to_text(), "98079714615416886934934209737619787751599303819750539264");
  EXPECT_TRUE(big.is_integer());
  EXPECT_EQ(big.as_integer(), std::nullopt);
  EXPECT_EQ((big / big.numerator()).as_integer(), 1);
  EXPECT_EQ((Expression(INT64_MAX) + 1 - 1).as_integer(), INT64_MAX);
  EXPECT_FALSE((Expression(1) / 2).is_integer());
}

TEST(Expression, NamesTheMissingSize) {
  const Diagnostic error = (N / Br).evaluate({{"N", 1}}).error();
  EXPECT_EQ(error.code, "missing-size");
  EXPECT_EQ(error.message, "no value for the size 'Br' of N/Br");
}

TEST(Expression, NamesTheVanishingDenominator) {
  EXPECT_EQ((N / (Br - d)).evaluate({{"N", 1}, {"Br", 2}, {"d", 2}}).error().code,
            "zero-denominator");
}

TEST(Expression, KeepsOnlySizesThatMatter) {
  EXPECT_EQ((N * d / d + Br - Br).sizes(), std::vector<std::string>{"N"});
  EXPECT_EQ((Br + N * d).sizes(), (std::vector<std::string>{"Br", "N", "d"}));
}

TEST(ExpressionDeathTest, DividingByZeroIsABug) {
  EXPECT_DEATH(static_cast<void>(N / (d - d)), "broken invariant");
}

TEST(Limit, OfTheAttentionRatioIsTwiceBrOverD) {
  const Expression naive = 12 * N * d + 16 * N * N, flash = 8 * N * d * (1 + N / Br);
  EXPECT_EQ(limit_at_infinity(naive / flash, "N"), 2 * Br / d);
  EXPECT_EQ(limit_at_infinity(d / N, "N"), Expression(0));
  EXPECT_EQ(limit_at_infinity(N / d, "N"), std::nullopt);
  EXPECT_EQ(limit_at_infinity(N, "d"), N);
}

}  // namespace
}  // namespace warpledger
