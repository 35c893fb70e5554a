#include "warpledger/profile/run/cache_trace.h"

#include <gmock/gmock.h>

#include "warpledger/profile/run/query.h"
#include "warpledger/profile/run/run_statistics.h"

namespace warpledger::profile {
namespace {

using ::testing::HasSubstr;

// Loads x twice: the second time every sector is there.
constexpr const char* kTwice = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  ld.global.b32 %r1, [%rd3];
  ld.global.b32 %r2, [%rd3];
  add.s32 %r3, %r1, %r2;
  st.global.b32 [%rd4], %r3;
  ret;
}
)";

Query traced(const std::string& trace) {
  Query query{.gpu = "a100"};
  query.what = {.file = {.path = "twice.ptx"},
                .ptx = kTwice,
                .kernel = "twice",
                .block = {64, 1, 1},
                .arguments = {"x=f32[64]:index", "y=f32[64]"}};
  query.options.sass = false;
  query.options.trace_cache = trace;
  return query;
}

TEST(CacheTrace, ReadsLineSmAndNumber) {
  const CacheTraceRequest request = *parse_cache_trace("line=matmul.cu:11,sm=3,first=7");
  EXPECT_EQ(request.line, (SourceLine{"matmul.cu", 11}));
  EXPECT_EQ(request.sm, 3u);
  EXPECT_EQ(request.first, 7u);
  for (const char* bad :
       {"", "sm=3", "line=matmul.cu", "line=:3", "line=a:0", "line=a:1,sm=x", "line=a:1,way=2"})
    EXPECT_FALSE(parse_cache_trace(bad).ok()) << bad;
}

TEST(CacheTrace, AFirstLoadMissesAndASecondHits) {
  const QueryAnswer first = *answer(traced("line=twice.ptx:15"), nullptr);
  ASSERT_TRUE(first.trace);
  ASSERT_EQ(first.trace->accesses.size(), 2u);  // two warps, a line each
  EXPECT_EQ(first.trace->accesses[0].place, "x+0x0");
  EXPECT_EQ(first.trace->accesses[1].place, "x+0x80");
  for (const TracedAccess& one : first.trace->accesses) {
    EXPECT_EQ(one.access.l1_hit, 0);
    EXPECT_FALSE(one.access.l2.empty());
  }
  const QueryAnswer second = *answer(traced("line=twice.ptx:16"), nullptr);
  for (const TracedAccess& one : second.trace->accesses) {
    EXPECT_EQ(one.access.l1_hit, 0xF);
    EXPECT_TRUE(one.access.l2.empty());
  }
}

TEST(CacheTrace, KeepsTheFirstAndCountsTheOthers) {
  const QueryAnswer made = *answer(traced("line=twice.ptx:15,first=1"), nullptr);
  EXPECT_EQ(made.trace->accesses.size(), 1u);
  EXPECT_EQ(made.trace->seen, 2u);
}

TEST(CacheTrace, AnSmWithoutABlockSaysSo) {
  const QueryAnswer made = *answer(traced("line=twice.ptx:15,sm=5"), nullptr);
  EXPECT_EQ(made.trace->ctas, 0u);
  EXPECT_THAT(lines_of(*made.trace, made.profile)[1], HasSubstr("no block ran there"));
  EXPECT_FALSE(answer(traced("line=twice.ptx:15,sm=500"), nullptr).ok());
}

TEST(CacheTrace, ALineWithoutAccessesNamesThoseThatHaveSome) {
  const Result<QueryAnswer> made = answer(traced("line=twice.ptx:3"), nullptr);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().hint, HasSubstr("twice.ptx:15"));
}

TEST(RunStatistics, PhasesAndAccessesOfARunAreNoted) {
  RunStatistics statistics;
  const QueryAnswer made = *answer(traced(""), nullptr, {.statistics = &statistics});
  EXPECT_FALSE(made.trace);
  EXPECT_EQ(statistics.modeled, 1u);
  EXPECT_EQ(statistics.accesses, 6u);  // three instructions of two warps
  EXPECT_GE(statistics.records, statistics.accesses);
  std::vector<std::string> names;
  for (const Lap& lap : statistics.watch.laps()) names.push_back(lap.name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({phase::kParse, phase::kCode, phase::kRun}));
}

}  // namespace
}  // namespace warpledger::profile
