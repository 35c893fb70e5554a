// What a cell answers with: it comes back as it was, and what a cell that was taken over may send
// instead is refused or read, never believed.
#include "warpledger/profile/run/attempt.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/run/run_statistics.h"

namespace warpledger::profile {
namespace {

Diagnostic any_fault() {
  return {.message = "out of bounds",
          .hint = "look",
          .code = "out-of-bounds",
          .at = Location{"k.ptx", 4, 2, 7, "  ld.global.u32 %r0, [%rd0];"},
          .also = {{.message = "further", .code = "x"}},
          .fallback = Fallback::kValues};
}

Attempt any_attempt() {
  Attempt made{.profile = testing::plain_profile()};
  made.profile.output = std::string("printed\0\xff", 9);
  made.profile.compile_seconds = 0.25;
  made.bad_accesses.push_back({any_fault(), 12});
  return made;
}

TEST(Attempt, ComesBackAsItWas) {
  const Attempt made = any_attempt();
  const auto read = unpack(pack(made, nullptr), nullptr);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(to_json(read->profile), to_json(made.profile));
  EXPECT_EQ(read->profile.output, made.profile.output);
  EXPECT_EQ(read->profile.compile_seconds, 0.25);
  ASSERT_EQ(read->bad_accesses.size(), 1u);
  EXPECT_EQ(read->bad_accesses[0].first, any_fault());
  EXPECT_EQ(read->bad_accesses[0].lanes, 12u);
  EXPECT_FALSE(read->trace);
}

TEST(Attempt, FaultsComeBackWithPlaceAndWayOut) {
  const auto read = unpack(pack(any_fault(), nullptr), nullptr);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), any_fault());
}

TEST(Attempt, StatisticsComeBack) {
  RunStatistics made, read;
  made.records = 7;
  made.code.on_disk = 3;
  { const Stopwatch::Phase timed(&made.watch, phase::kRun); }
  ASSERT_TRUE(unpack(pack(any_attempt(), &made), &read));
  EXPECT_EQ(read.records, 7u);
  EXPECT_EQ(read.code.on_disk, 3u);
  ASSERT_EQ(read.watch.laps().size(), 1u);
  EXPECT_EQ(read.watch.laps()[0].name, phase::kRun);
}

TEST(Attempt, TracesNameOnlyWhatTheProfileHas) {
  Attempt made = any_attempt();
  made.trace.emplace();
  made.trace->accesses.resize(2);
  made.trace->accesses[1].access.site = 1'000'000;
  const auto read = unpack(pack(made, nullptr), nullptr);
  ASSERT_TRUE(read && read->trace);
  EXPECT_LE(read->trace->accesses.size(), 1u);
}

LAW(Attempt, DamageIsRefusedOrRead) {
  std::string text = pack(any_attempt(), nullptr);
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 1));
    text[at] = static_cast<char>(rng.bits());
  }
  if (rng.coin()) text.resize(static_cast<size_t>(rng.between(0, 300)));
  static_cast<void>(unpack(text, nullptr));
}

}  // namespace
}  // namespace warpledger::profile
