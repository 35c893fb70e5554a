#include "interpose/ranges.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

using Names = std::vector<std::string>;

bool matches(const std::string& filter, const Names& pushed, const Names& started = {},
             const std::string& domain = "") {
  const auto parsed = NvtxFilter::parse(filter);
  EXPECT_TRUE(parsed.ok()) << filter;
  return parsed->matches({{domain, {pushed, started}}});
}

RangeSelection selection_of(const Names& include, const std::string& instances = "") {
  RangeSelection selection;
  for (const std::string& text : include) selection.include.push_back(*NvtxFilter::parse(text));
  selection.instances = *parse_range_filter(instances);
  return selection;
}

TEST(NvtxFilter, ASlashAsksForAPushedRange) {
  EXPECT_TRUE(matches("A/", {"x", "A", "y"}));
  EXPECT_FALSE(matches("A/", {"x"}));
  EXPECT_FALSE(matches("A/", {}, {"A"}));
}

TEST(NvtxFilter, ANameAloneAsksForAStartedRange) {
  EXPECT_TRUE(matches("A", {}, {"x", "A"}));
  EXPECT_FALSE(matches("A", {"A"}));
  EXPECT_TRUE(matches("A,B", {}, {"B", "A"}));
  EXPECT_FALSE(matches("A,B", {}, {"A"}));
}

TEST(NvtxFilter, BracketsAreTheEndsOfTheStack) {
  EXPECT_TRUE(matches("[A", {"A", "B"}));
  EXPECT_FALSE(matches("[B", {"A", "B"}));
  EXPECT_TRUE(matches("B]", {"A", "B"}));
  EXPECT_FALSE(matches("A]", {"A", "B"}));
}

TEST(NvtxFilter, PlusIsOneRangeAndStarAnyNumber) {
  EXPECT_TRUE(matches("A/B", {"A", "B"}));
  EXPECT_FALSE(matches("A/B", {"A", "x", "B"}));
  EXPECT_TRUE(matches("A/+/B", {"A", "x", "B"}));
  EXPECT_FALSE(matches("A/+/B", {"A", "B"}));
  EXPECT_TRUE(matches("A/*/B", {"A", "B"}));
  EXPECT_TRUE(matches("A/*/B", {"A", "x", "y", "B", "z"}));
  EXPECT_FALSE(matches("A/*/B", {"B", "A"}));
}

TEST(NvtxFilter, ADomainIsNamedBeforeAnAt) {
  EXPECT_TRUE(matches("D@A/", {"A"}, {}, "D"));
  EXPECT_FALSE(matches("D@A/", {"A"}));
  EXPECT_FALSE(matches("A/", {"A"}, {}, "D"));
}

TEST(NvtxFilter, ABackslashMakesAQuantifierPartOfAName) {
  EXPECT_TRUE(matches(R"(A\[i\])", {}, {"A[i]"}));
  EXPECT_TRUE(matches(R"(a\/b/)", {"a/b"}));
}

TEST(NvtxFilter, AnExpressionMatchesNamesAndDomains) {
  EXPECT_TRUE(matches("regex:Dom[A-Z]@Range[0-9]/", {"Range7"}, {}, "DomB"));
  EXPECT_FALSE(matches("regex:Dom[A-Z]@Range[0-9]/", {"Range"}, {}, "DomB"));
  EXPECT_TRUE(matches("regex:/[0-9]a,b[0-9/]", {}, {"b2", "1a"}));
}

TEST(NvtxFilter, RefusesSeveralDomainsAndRangesWithoutNames) {
  for (const char* text : {"A@B@C", "", "/", "A//B", "A,,B", "D@", "[", "regex:("})
    EXPECT_FALSE(NvtxFilter::parse(text).ok()) << text;
}

LAW(NvtxFilter, AnyTextIsReadOrRefused) {
  std::string text;
  for (int64_t i = rng.between(0, 12); i > 0; --i)
    text += rng.pick(std::vector<char>{'A', '@', ',', '[', ']', '/', '*', '+', '\\', '('});
  const auto filter = NvtxFilter::parse((rng.coin() ? "regex:" : "") + text);
  if (filter.ok()) static_cast<void>(filter->matches({{"", {{"A", "A"}, {"A"}}}}));
}

LAW(NvtxFilter, APlainNameMatchesItselfAlone) {
  const std::string name = rng.pick(Names{"a", "b c", "conv_1", "x.y"});
  const std::string other = rng.pick(Names{"a", "b c", "conv_1", "x.y"});
  EXPECT_EQ(matches(name + "/", {other}), name == other);
  EXPECT_EQ(matches(name, {}, {other}), name == other);
}

TEST(Ranges, EverythingIsWantedByDefault) {
  Ranges ranges;
  EXPECT_TRUE(ranges.wants_launch());
  ranges.stop_profiler();
  EXPECT_FALSE(ranges.wants_launch());
  ranges.start_profiler();
  EXPECT_TRUE(ranges.wants_launch());
}

TEST(Ranges, ProfilerCallsCanBeIgnored) {
  Ranges ranges;
  ranges.select({.heeds_profiler_calls = false});
  ranges.stop_profiler();
  EXPECT_TRUE(ranges.wants_launch());
}

TEST(Ranges, PushedRangesAreOfTheirThread) {
  Ranges ranges;
  ranges.select(selection_of({"A/"}));
  EXPECT_EQ(ranges.push("", "A"), 0);
  EXPECT_EQ(ranges.push("", "B"), 1);
  EXPECT_TRUE(ranges.wants_launch());
  std::thread([&] { EXPECT_FALSE(ranges.wants_launch()); }).join();
  EXPECT_EQ(ranges.pop(""), 1);
  EXPECT_EQ(ranges.pop(""), 0);
  EXPECT_FALSE(ranges.wants_launch());
  EXPECT_LT(ranges.pop(""), 0);
}

TEST(Ranges, StartedRangesAreOfTheProcess) {
  Ranges ranges;
  ranges.select(selection_of({"A"}));
  const uint64_t range = ranges.start("", "A");
  std::thread([&] { EXPECT_TRUE(ranges.wants_launch()); }).join();
  ranges.end(range);
  EXPECT_FALSE(ranges.wants_launch());
}

TEST(Ranges, InstancesAreCountedWhereRangesOpen) {
  Ranges ranges;
  ranges.select(selection_of({"A/"}, "::2|3"));
  std::vector<bool> wanted;
  for (int i = 0; i < 4; ++i) {
    ranges.push("", "A");
    wanted.push_back(ranges.wants_launch());
    ranges.pop("");
  }
  EXPECT_EQ(wanted, (std::vector<bool>{false, true, true, false}));
}

TEST(Ranges, InstancesCanBeCountedAnewInEachWindow) {
  Ranges ranges;
  ranges.select(selection_of({"A/"}, "yes::1"));
  for (int window = 0; window < 2; ++window) {
    ranges.start_profiler();
    ranges.push("", "A");
    EXPECT_TRUE(ranges.wants_launch());
    ranges.pop("");
    ranges.push("", "A");
    EXPECT_FALSE(ranges.wants_launch());
    ranges.pop("");
  }
}

TEST(RangeFilter, RefusesWhatIsNoneOfItsForms) {
  for (const char* text : {"1", ":", "maybe::", "::(", "yes"})
    EXPECT_FALSE(parse_range_filter(text).ok()) << text;
}

}  // namespace
}  // namespace warpledger::cuda
