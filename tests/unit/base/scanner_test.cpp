#include "warpledger/base/scanner.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger {
namespace {

ScannerStyle style() { return {.code = "bad-text", .hint = "write better"}; }

/// A text of words, digits, blanks and signs.
std::string any_text(testing::Rng& rng) {
  constexpr std::string_view kCharacters = "ab_Z019 \t,.x(-";
  std::string text;
  for (int64_t n = rng.between(0, rng.size()); n > 0; --n) {
    text += kCharacters[static_cast<size_t>(
        rng.between(0, static_cast<int64_t>(kCharacters.size()) - 1))];
  }
  return text;
}

LAW(Scanner, WhatIsTakenAndWhatIsLeftAreTheText) {
  const Source source("t", any_text(rng));
  Scanner scan(source, {.blanks = {}});
  std::string taken;
  while (!scan.at_end()) {
    taken += scan.take_while(Scanner::is_word);
    EXPECT_EQ(taken + std::string(scan.rest()), source.text());
    if (scan.at_end()) break;
    taken += scan.peek();
    scan.skip();
  }
  EXPECT_EQ(taken, source.text());
}

LAW(Scanner, ANumberIsTakenAsItIsPrinted) {
  const auto number = static_cast<int64_t>(rng.bits());
  const Source source("t", std::to_string(number) + "x");
  Scanner scan(source, style());
  EXPECT_EQ(scan.take_number<int64_t>(), number);
  EXPECT_EQ(scan.rest(), "x");
  EXPECT_EQ(read_number<int64_t>(std::to_string(number)), number);
  EXPECT_FALSE(read_number<int64_t>(source.text()));
}

TEST(Scanner, PassesOverTheBlanksOfItsLanguageAlone) {
  const Source source("t", " \n a");
  Scanner spaces(source, {.blanks = " "}), all(source, {.blanks = " \n"});
  EXPECT_EQ(spaces.next(), '\n');
  EXPECT_EQ(all.next(), 'a');
  EXPECT_FALSE(spaces.take("a"));
  EXPECT_TRUE(all.take("a"));
  EXPECT_TRUE(all.at_end());
  EXPECT_EQ(all.next(), '\0');
}

TEST(Scanner, ANumberThatDoesNotFitIsPassedOver) {
  const Source source("t", "99999999999999999999;");
  Scanner scan(source, style());
  EXPECT_FALSE(scan.take_number<int64_t>());
  EXPECT_EQ(scan.peek(), ';');
  EXPECT_FALSE(scan.take_number<int64_t>());
  EXPECT_EQ(scan.peek(), ';');
}

TEST(Scanner, AnErrorPointsAtThePosition) {
  const Source source("t", "a\nbc)");
  Scanner scan(source, style());
  scan.move_to(4);
  const Diagnostic fault = scan.expect("(").error();
  EXPECT_EQ(to_text(fault),
            "t:2:3: error: expected '(' [bad-text]\n    bc)\n      ^\nhint: write better\n");
}

TEST(Scanner, AnErrorBehindTheEndHasAPlaceToo) {
  const Source source("t", "ab");
  Scanner scan(source, style());
  scan.skip(2);
  const Diagnostic fault = scan.error("more is expected", "of its own");
  EXPECT_EQ(fault.at->column, 3);
  EXPECT_EQ(fault.hint, "of its own");
}

TEST(Scanner, APartOfTheTextHasItsSpan) {
  const Source source("t", "one two");
  Scanner scan(source, style());
  ASSERT_TRUE(scan.take("one"));
  const std::string_view blank = scan.take_while([](char c) { return c == ' '; });
  const std::string_view two = scan.take_while(Scanner::is_letter);
  EXPECT_EQ(scan.span_of(blank), (Span{3, 4}));
  EXPECT_EQ(scan.span_of(two), (Span{4, 7}));
  EXPECT_EQ(scan.span_from(4), (Span{4, 7}));
}

}  // namespace
}  // namespace warpledger
