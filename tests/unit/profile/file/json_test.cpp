#include "warpledger/profile/file/json.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"

namespace warpledger::profile {
namespace {

using testing::any_profile;
using testing::plain_profile;

LAW(ProfileJson, ReadsBack) {
  Profile profile = any_profile(rng);
  if (rng.coin()) profile.timing = Timing{.elapsed_cycles = 10, .sm_hertz = 1e9};
  const std::string text = to_json(profile);
  EXPECT_TRUE(is_profile_json(text));
  const Result<Profile> read = profile_from_json(Source("p.json", text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->counters, profile.counters);
  EXPECT_EQ(read->code, profile.code);
  EXPECT_EQ(read->examples, profile.examples);
  EXPECT_EQ(read->source_folder, profile.source_folder);
}

TEST(ProfileJson, AMergedAccessIsReadBackAsOne) {
  Profile profile = plain_profile();
  testing::add_access(profile, trace::Space::kNone, trace::Kind::kLoad);
  profile.instructions[0].fate = "merged into a neighbor";
  testing::add_access(profile, trace::Space::kConstant, trace::Kind::kLoad);
  const Result<Profile> read = profile_from_json(Source("p.json", to_json(profile)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->instructions[0].site.space, trace::Space::kNone);
  EXPECT_EQ(read->instructions[1].site.space, trace::Space::kConstant);
}

LAW(ProfileJson, DamagedTextNeverThrows) {
  std::string text = to_json(any_profile(rng));
  for (int64_t i = rng.between(1, 3); i > 0; --i) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 1));
    if (rng.coin()) {
      text.erase(at, static_cast<size_t>(rng.between(1, 40)));
    } else {
      text[at] = static_cast<char>(rng.between(32, 126));
    }
    if (text.empty()) text = "{";
  }
  (void)is_profile_json(text);
  (void)profile_from_json(Source("p.json", text));
}

TEST(ProfileJson, AMissingFieldIsNamed) {
  const Result<Profile> read = profile_from_json(Source("p.json", "{\"schema_version\": 1}"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, "bad-profile");
  EXPECT_NE(read.error().message.find("'version' is missing"), std::string::npos);
}

TEST(ProfileJson, AnotherSchemaIsRefused) {
  const Result<Profile> read = profile_from_json(Source("p.json", "{\"schema_version\": 99}"));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("99"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::profile
