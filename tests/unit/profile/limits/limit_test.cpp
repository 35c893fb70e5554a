#include "warpledger/profile/limits/limit.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/profile/limits/judge.h"

namespace warpledger::profile::budget {
namespace {

using warpledger::testing::Rng;

Result<Limit> parsed(const std::string& text) { return parse_limit(Source("limit", text)); }

/// A formula's text and its value, worked out on the way.
struct Sample {
  std::string text;
  double value = 0;
  int rank = 3;  // 1: a sum, 2: a product, 3: a factor
};

std::string in_brackets(const Sample& sample, int rank, Rng& rng) {
  return sample.rank < rank || rng.between(0, 9) == 0 ? "(" + sample.text + ")" : sample.text;
}

Sample any_sample(Rng& rng, int depth) {
  const std::string blank = rng.coin() ? " " : "";
  if (depth == 0 || rng.between(0, 3) == 0) {
    const int64_t n = rng.between(0, 50);
    if (rng.between(0, 4) == 0) return {fmt::format("{}{}KiB", n, blank), 1024.0 * double(n)};
    return {std::to_string(n), double(n)};
  }
  const Sample a = any_sample(rng, depth - 1);
  if (rng.between(0, 5) == 0) return {"-" + in_brackets(a, 3, rng), -a.value, 3};
  const Sample b = any_sample(rng, depth - 1);
  const auto joined = [&](char op, int left, int right) {
    return in_brackets(a, left, rng) + blank + op + blank + in_brackets(b, right, rng);
  };
  switch (rng.between(0, 2)) {
    case 0:
      return {joined('+', 1, 2), a.value + b.value, 1};
    case 1:
      return {joined('-', 1, 2), a.value - b.value, 1};
    default:
      return {joined('*', 2, 3), a.value * b.value, 2};
  }
}

double value_of(const Formula& formula) {
  std::vector<double> stack;
  for (const Term& term : formula) {
    if (term.op == Op::kNumber) {
      stack.push_back(term.number);
    } else if (term.op == Op::kNegate) {
      stack.back() = -stack.back();
    } else {
      const double b = stack.back();
      stack.pop_back();
      double& a = stack.back();
      a = term.op == Op::kAdd ? a + b : term.op == Op::kSubtract ? a - b : a * b;
    }
  }
  EXPECT_EQ(stack.size(), 1u);
  return stack.front();
}

LAW(Limit, ReadsFormulasAsArithmeticDoes) {
  const Sample sample = any_sample(rng, 1 + rng.size() / 25);
  const Result<Limit> limit = parsed("spills <= " + sample.text);
  ASSERT_TRUE(limit.ok()) << sample.text;
  EXPECT_EQ(value_of(limit->right), sample.value) << sample.text;
  EXPECT_EQ(limit->subject(), "spills");
}

LAW(Limit, AnyTextIsReadOrRefused) {
  const std::vector<std::string> parts = {"dram.bytes", "<=", "=",   "ideal", "baseline", "1.5",
                                          "MiB",        "(",  ")",   "*",     "-",        "\"L2\"",
                                          "'",          "\t", "9e9", "%",     "\xff",     "x"};
  std::string text;
  for (int64_t n = rng.between(0, rng.size() / 4); n > 0; --n) text += rng.pick(parts);
  const Result<Limit> limit = parsed(text);
  if (limit.ok()) {
    const Result<Limit> again = parsed(limit->text);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->text, limit->text);
  } else {
    EXPECT_EQ(limit.error().code, "bad-limit");
    EXPECT_TRUE(limit.error().at.has_value());
  }
}

TEST(Limit, KnowsEveryComparison) {
  const std::vector<std::pair<std::string, std::vector<bool>>> cases = {
      {"=", {false, true, false}}, {"==", {false, true, false}}, {"<=", {true, true, false}},
      {"<", {true, false, false}}, {">=", {false, true, true}},  {">", {false, false, true}}};
  for (const auto& [word, expected] : cases) {
    const Result<Limit> limit = parsed("spills " + word + " 2");
    ASSERT_TRUE(limit.ok()) << word;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(holds(limit->comparison, 1 + i, 2), expected[size_t(i)]);
  }
}

TEST(Limit, PointsAtWhatIsWrong) {
  const std::vector<std::pair<std::string, int>> cases = {
      {"dram.bytes <= ", 15},   {"dram.bytes 3", 12},        {"dram.bytes <= 3 parsecs", 17},
      {"ideal <= 3", 1},        {"a + b <= ideal", 10},      {"3 < 4", 1},
      {"dram.bytes <= (3", 17}, {"dram.bytes <= 3 = 4", 17}, {"\"L2 <= 3", 1}};
  for (const auto& [text, column] : cases) {
    const Result<Limit> limit = parsed(text);
    ASSERT_FALSE(limit.ok()) << text;
    EXPECT_EQ(limit.error().at->column, column) << text << ": " << limit.error().message;
  }
}

TEST(Limit, DeepNestingIsRefusedRatherThanOverflowing) {
  EXPECT_FALSE(parsed("spills < " + std::string(3000, '(') + "1").ok());
  EXPECT_FALSE(parsed("spills < " + std::string(3000, '-') + "1").ok());
}

TEST(Limit, UnknownNamesAreRefusedWithTheNearest) {
  const std::string text = "dram.byte <= 3";
  const Source source("limit", text);
  const Status names = check_names(*parse_limit(source), source);
  ASSERT_FALSE(names.ok());
  EXPECT_EQ(names.error().hint, "did you mean 'dram.bytes'?");
}

TEST(Limit, AnIdealThatDoesNotExistIsRefused) {
  const Source source("limit", "registers <= ideal");
  const Status names = check_names(*parse_limit(source), source);
  ASSERT_FALSE(names.ok());
  EXPECT_NE(names.error().hint.find("dram.bytes"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::profile::budget
