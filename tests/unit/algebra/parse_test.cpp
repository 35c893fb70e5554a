#include <gtest/gtest.h>

#include "warpledger/algebra/expression.h"

namespace warpledger {
namespace {

std::string error_of(std::string_view text) { return to_text(parse_expression(text).error()); }

TEST(ParseExpression, BindsAsUsual) {
  EXPECT_EQ(parse_expression("2 + 3*4^2/6")->as_integer(), 10);
  EXPECT_EQ(parse_expression("-2^2")->as_integer(), -4);
  EXPECT_EQ(parse_expression("8/4/2")->as_integer(), 1);
  EXPECT_EQ(parse_expression("2 - -3 - 1")->as_integer(), 4);
  EXPECT_EQ(parse_expression("4^-1*8")->as_integer(), 2);
}

TEST(ParseExpression, PointsAtTheFault) {
  EXPECT_EQ(error_of("12*N + *d"),
            "expression:1:8: error: expected a number, a size or '(' [bad-expression]\n"
            "    12*N + *d\n"
            "           ^\n");
  EXPECT_EQ(error_of("(N + 1"),
            "expression:1:7: error: expected ')' [bad-expression]\n"
            "    (N + 1\n"
            "          ^\n");
  EXPECT_EQ(error_of("N/(d - d)"),
            "expression:1:1: error: division by zero [division-by-zero]\n"
            "    N/(d - d)\n"
            "    ^~~~~~~~~\n");
  EXPECT_EQ(parse_expression("4 N").error().code, "bad-expression");
  EXPECT_EQ(parse_expression("").error().code, "bad-expression");
}

TEST(ParseExpression, RefusesWhatGrowsTooLarge) {
  EXPECT_EQ(parse_expression("N^1000000000").error().code, "expression-too-large");
  EXPECT_EQ(parse_expression("(a+b+c+d+e)^40").error().code, "expression-too-large");
  EXPECT_EQ(parse_expression("((9^64)^64)^64").error().code, "expression-too-large");
  EXPECT_EQ(parse_expression(std::string(5000, '9')).error().code, "expression-too-large");
  EXPECT_EQ(parse_expression(std::string(50'000, '(')).error().code, "bad-expression");
  EXPECT_EQ(parse_expression(std::string(50'000, '-')).error().code, "bad-expression");
}

}  // namespace
}  // namespace warpledger
