#include "warpledger/profile/limits/judge.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/limits/report.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile::budget {
namespace {

using profile::testing::add_access;
using profile::testing::add_up;
using profile::testing::any_profile;
using profile::testing::plain_profile;
using trace::Kind;
using trace::Space;

Judgment judged(const std::string& text, const Profile& profile, const Baseline& baseline = {}) {
  const Source source("limit", text);
  const Result<Limit> limit = parse_limit(source);
  EXPECT_TRUE(limit.ok()) << text;
  EXPECT_TRUE(check_names(*limit, source).ok()) << text;
  return judge(*limit, profile, baseline, "k");
}

/// Two loads from shared memory, on lines 1 and 2; the second conflicts more.
Profile conflicting() {
  Profile profile = plain_profile();
  for (const uint64_t wavefronts : {12u, 40u}) {
    memory::SiteCounters& c = add_access(profile, Space::kShared, Kind::kLoad);
    c.request.requests = c.request.ideal_wavefronts = 10;
    c.request.data_wavefronts = wavefronts;
  }
  return profile;
}

TEST(Judge, ABrokenLimitNamesTheLineThatIsToBlame) {
  const Judgment judgment = judged("shared.bank_conflicts = 0", conflicting());
  EXPECT_EQ(judgment.state, State::kBroken);
  EXPECT_EQ(judgment.value, 32);
  ASSERT_EQ(judgment.culprits.size(), 2u);
  EXPECT_EQ(to_text(judgment.culprits[0].where), "k.cu:2");
  EXPECT_EQ(judgment.culprits[0].amount, 30);
  EXPECT_EQ(sentence_of(judgment), "is 32 (exact), the limit is 0: 32 more");
}

TEST(Judge, AKeptLimitBlamesNobody) {
  const Judgment judgment = judged("shared.bank_conflicts <= 32", conflicting());
  EXPECT_EQ(judgment.state, State::kKept);
  EXPECT_TRUE(judgment.culprits.empty());
}

TEST(Judge, IdealIsThatOfTheMetric) {
  EXPECT_EQ(judged("shared.wavefronts <= 2.6 * ideal", conflicting()).bound, 52);
  Profile profile = plain_profile();
  profile.counters.dram = {
      .read_sectors = 30, .unique_read_sectors = 10, .unique_written_sectors = 5};
  EXPECT_EQ(judged("dram.bytes <= ideal", profile).bound, 32 * 15);
  EXPECT_EQ(judged("dram.read_bytes <= ideal", profile).bound, 32 * 10);
}

TEST(Judge, WhatIsNotKnownIsNeitherKeptNorBroken) {
  const Judgment judgment = judged("spills = 0", plain_profile());  // no machine code
  EXPECT_EQ(judgment.state, State::kUnknown);
  EXPECT_NE(judgment.why.find("'spills' is not known"), std::string::npos);
  EXPECT_EQ(judged("registers <= 1 / 0", plain_profile()).state, State::kUnknown);
}

TEST(Judge, BaselineIsWhatTheFileSays) {
  Baseline baseline;
  EXPECT_EQ(judged("registers <= baseline", plain_profile(), baseline).state, State::kUnknown);
  baseline.set("k", "registers", 31);
  EXPECT_EQ(judged("registers <= baseline", plain_profile(), baseline).state, State::kBroken);
  EXPECT_EQ(judged("registers <= baseline + 1", plain_profile(), baseline).state, State::kKept);
}

LAW(Judge, AgreesWithTheMetricItself) {
  const Profile profile = any_profile(rng);
  for (const Quantity& quantity : short_names()) {
    const auto number = quantity.value({profile, profile.counters}).number();
    if (!number) continue;
    const double bound = *number + static_cast<double>(rng.between(-1, 1));
    for (const auto& [word, expected] :
         {std::pair("<=", *number <= bound), {">=", *number >= bound}}) {
      const std::string text =
          fmt::format("{} {} {}", quantity.name, word,
                      bound < 0 ? fmt::format("-{:.17g}", -bound) : fmt::format("{:.17g}", bound));
      EXPECT_EQ(judged(text, profile).state == State::kKept, expected) << text;
    }
  }
}

LAW(Culprits, SharesAddUpToOne) {
  const Profile profile = any_profile(rng);
  for (const Quantity& quantity : short_names()) {
    double share = 0;
    for (const Culprit& culprit : culprits_of(quantity, profile, 1000)) share += culprit.share;
    EXPECT_TRUE(share == 0 || std::abs(share - 1) < 1e-9) << quantity.name << " " << share;
  }
}

TEST(Quantity, EveryMetricAndUnambiguousLabelIsFound) {
  for (const std::string& name : standard_metrics()) {
    EXPECT_TRUE(find_quantity(name).ok()) << name;
  }
  EXPECT_TRUE(find_quantity("L2 Hit Rate").ok());
  EXPECT_EQ(find_quantity("Memory Throughput").error().code, "ambiguous-label");
}

LAW(Baseline, ReadsBack) {
  Baseline baseline;
  for (int64_t n = rng.between(0, rng.size()); n > 0; --n) {
    const double value =
        rng.coin() ? double(rng.between(-1000, 1LL << 50)) : double(rng.between(1, 1000)) / 7;
    baseline.set("launch " + std::to_string(rng.between(0, 5)),
                 "metric " + std::to_string(rng.between(0, 9)), value);
  }
  const auto read = Baseline::from_json(Source("b", baseline.to_json()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, baseline);
}

TEST(Baseline, WhatIsNoneIsRefused) {
  for (const std::string text :
       {"", "[]", "{\"schema_version\": 2, \"launches\": {}}",
        "{\"schema_version\": 1, \"launches\": {\"a\": {\"b\": \"c\"}}}"}) {
    EXPECT_FALSE(Baseline::from_json(Source("b", text)).ok()) << text;
  }
}

std::vector<Checked> one_breach() {
  return {{.budget = "a<b>",
           .launch = "k on a100",
           .limit_at = {.file = "b.toml", .line = 7},
           .kernel_file = "src/k.cu",
           .judgment = judged("shared.bank_conflicts = 0", conflicting())}};
}

TEST(CheckReport, AnnotationsPointAtTheSourceLine) {
  EXPECT_EQ(to_github(one_breach()),
            "::error file=src/k.cu,line=2,title=shared.bank_conflicts = 0::k on a100: is 32 "
            "(exact), the limit is 0: 32 more\n");
}

TEST(CheckReport, JunitIsEscaped) {
  const std::string xml = to_junit(one_breach(), "b.toml");
  EXPECT_NE(xml.find("<testsuite name=\"a&lt;b&gt;\" tests=\"1\" failures=\"1\" errors=\"0\">"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<failure message=\"is 32"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::profile::budget
