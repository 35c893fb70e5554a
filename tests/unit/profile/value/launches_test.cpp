// The launches that a profile represents: each number is in exactly one of a few ranges.
#include "warpledger/profile/value/launches.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/metrics/page.h"

namespace warpledger::profile {
namespace {

std::vector<uint64_t> numbers_in(const Launches& launches) {
  std::vector<uint64_t> all;
  for (const LaunchRange& range : launches.ranges) {
    for (uint64_t i = range.first; i <= range.last; i += range.step) all.push_back(i);
  }
  return all;
}

Launches of(const std::vector<uint64_t>& numbers) {
  Launches launches;
  for (const uint64_t number : numbers) launches.add(number);
  launches.modeled = 1;
  return launches;
}

LAW(Launches, HoldEveryNumberOnce) {
  std::vector<uint64_t> numbers;
  uint64_t next = static_cast<uint64_t>(rng.between(0, 5));
  for (int i = rng.size(); i > 0; --i) {
    numbers.push_back(next);
    next += static_cast<uint64_t>(rng.between(1, rng.coin() ? 2 : 9));
  }
  const Launches launches = of(numbers);
  EXPECT_EQ(numbers_in(launches), numbers);
  EXPECT_EQ(launches.count, numbers.size());
}

TEST(Launches, AreOneRangeWhereTheyFollowEachOther) {
  EXPECT_EQ(to_text(of({3, 4, 5, 6}).ranges), "3..6");
  EXPECT_EQ(to_text(of({0, 2, 3, 4}).ranges), "0, 2..4");
  EXPECT_EQ(to_text(of({0, 2, 4, 6}).ranges), "0..6 by 2");
  EXPECT_EQ(to_text(of({7}).ranges), "7");
  EXPECT_EQ(to_text(of({1, 5}).ranges), "1, 5");
}

TEST(Launches, SayHowManyWereModeled) {
  EXPECT_EQ(to_text(of({0})), "");
  EXPECT_EQ(to_text(of({0, 1, 2})),
            "x 3: this profile represents launches 0..2; 1 modeled, 2 only run");
  Launches unlike = of({0, 1});
  unlike.unlike = 1;
  EXPECT_NE(to_text(unlike).find("1 of them executed a different number"), std::string::npos);
}

TEST(Launches, StandInTheHeadingAndInJson) {
  Profile profile = testing::plain_profile();
  EXPECT_EQ(heading(profile).find(", x "), std::string::npos);
  EXPECT_EQ(to_json(profile).find("\"launches\""), std::string::npos);
  profile.launches = of({0, 2, 4});
  EXPECT_TRUE(heading(profile).ends_with(", x 3"));
  const Result<Profile> read = profile_from_json(Source("p.json", to_json(profile)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->launches, profile.launches);
}

TEST(Launches, OfABenchmarkSaySo) {
  Profile profile = testing::plain_profile();
  profile.launches = of({3});
  profile.launches.purpose = "trial BLOCK: 64";
  EXPECT_EQ(to_text(profile.launches), "trial BLOCK: 64: timed only; its results were discarded");
  EXPECT_TRUE(heading(profile).ends_with(", trial BLOCK: 64"));
  const Result<Profile> read = profile_from_json(Source("p.json", to_json(profile)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->launches, profile.launches);
}

}  // namespace
}  // namespace warpledger::profile
