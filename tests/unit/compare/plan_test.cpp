#include "warpledger/compare/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/tensor_bytes.h"

namespace warpledger::match {
namespace {

using profile::testing::add_access;
using profile::testing::plain_profile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using warpledger::testing::Rng;

constexpr const char* kProgram = R"(program copy_rows
size N, Br = 4
assume Br divides N
input K[N, 8] f32
input Q[N, 8] f32
output O[N, 8] f32
kernel f(i in N/Br) {
  q = copy Q[i of Br, :] to registers
  k = copy K to shared
  copy q to O[i of Br, :]
}
)";

tile::CheckedProgram program_at(int64_t n) {
  auto parsed = tile::parse("p.tile", kProgram);
  EXPECT_TRUE(parsed.ok());
  auto sized = tile::with_sizes(*parsed, {{"N", n}});
  EXPECT_TRUE(sized.ok());
  return *sized;
}

Plan plan_at(int64_t n) {
  auto plan = plan_of(program_at(n));
  EXPECT_TRUE(plan.ok());
  return *plan;
}

/// A load of an array of `bytes`, asked for and fetched so many times as a whole.
struct Load {
  const char* array;
  uint64_t bytes, asked, l2, dram;
};

profile::Profile kernel_of(const std::vector<Load>& loads) {
  profile::Profile made = plain_profile();
  for (const Load& load : loads) {
    memory::SiteCounters& c =
        add_access(made, trace::Space::kGlobal, trace::Kind::kLoad, load.array);
    made.arrays.push_back({load.array, load.bytes});
    c.request.requests = 1;
    c.request.lanes = load.bytes * load.asked / 4;
    c.l2_sectors = load.bytes * load.l2 / 32;
    c.dram_read_sectors = load.bytes * load.dram / 32;
    made.counters.dram.read_sectors += c.dram_read_sectors;
  }
  return made;
}

std::vector<std::string> sentences(const std::vector<Load>& loads, const NameMap& names = {}) {
  const auto made = compare_plan(plan_at(16), traffic_of({kernel_of(loads)}), names);
  EXPECT_TRUE(made.ok());
  return made.ok() ? made->sentences : std::vector<std::string>();
}

TEST(Plan, SaysHowOftenATensorIsMovedAndByWhichFormula) {
  const Plan plan = plan_at(16);
  ASSERT_EQ(plan.tensors.size(), 3u);
  EXPECT_EQ(plan.tensors[0].read_times, "N/Br = 4 times (once per block)");
  EXPECT_EQ(plan.tensors[0].read, 4 * 16 * 8 * 4);
  EXPECT_EQ(plan.tensors[1].read_times, "once");
  EXPECT_EQ(plan.tensors[2].written_times, "once");
}

TEST(Plan, AsksForSizesThatHaveNoValue) {
  auto parsed = tile::parse("p.tile", kProgram);
  ASSERT_TRUE(parsed.ok());
  const auto plan = plan_of(*tile::check(*parsed));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, "missing-size");
}

TEST(PlanAgainstKernel, MoreBytesFromDramThanTheArrayHasAreEvictions) {
  EXPECT_THAT(sentences({{"K", 512, 4, 4, 2}}),
              Contains(AllOf(HasSubstr("K: the plan reads it N/Br = 4 times"),
                             HasSubstr("DRAM reads it 2 times: the L2 evicts it"))));
  EXPECT_THAT(sentences({{"K", 512, 4, 4, 1}}),
              Contains(HasSubstr("DRAM reads it once: the L2 serves 75.0 %")));
}

TEST(PlanAgainstKernel, TheL1sShareIsWhatDoesNotReachTheL2) {
  EXPECT_THAT(sentences({{"K", 512, 8, 2, 1}}),
              Contains(HasSubstr("L2 -> L1 carries it 2 times (the L1 serves 75.0 %)")));
  EXPECT_THAT(sentences({{"K", 512, 1, 2, 1}}),
              Contains(HasSubstr("(at most 50.0 % of the sectors' bytes are asked for)")));
}

TEST(PlanAgainstKernel, MatchesNamesInAnyCaseAndByMap) {
  EXPECT_THAT(sentences({{"k", 512, 4, 4, 1}}), Contains(HasSubstr("K (k): the plan reads")));
  EXPECT_THAT(sentences({{"keys", 512, 4, 4, 1}}, {{"K", "keys"}}),
              Contains(HasSubstr("K (keys): the plan reads")));
  const auto words = sentences({{"keys", 512, 4, 4, 1}});
  EXPECT_THAT(words, Contains("keys: in the kernel only"));
  EXPECT_THAT(words, Contains(HasSubstr("K: in the plan only")));
}

TEST(PlanAgainstKernel, RefusesAMapOfUnknownNames) {
  const KernelTraffic kernel = traffic_of({kernel_of({{"keys", 512, 4, 4, 1}})});
  for (const NameMap& names : {NameMap{{"K", "kays"}}, NameMap{{"X", "keys"}}}) {
    const auto made = compare_plan(plan_at(16), kernel, names);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, "bad-map");
  }
  EXPECT_FALSE(parse_pair("K").ok());
  EXPECT_FALSE(parse_pair("=k").ok());
}

TEST(PlanAgainstKernel, SaysWhenSizesDiffer) {
  EXPECT_THAT(sentences({{"K", 1024, 4, 4, 1}}),
              Contains(HasSubstr("sizes differ: 512 bytes planned, 1,024 in the kernel")));
}

TEST(PlanAgainstKernel, SeveralLaunchesAreAddedUp) {
  const profile::Profile one = kernel_of({{"K", 512, 1, 1, 1}});
  const KernelTraffic both = traffic_of({one, one});
  ASSERT_EQ(both.arrays.size(), 1u);
  EXPECT_EQ(both.arrays[0].bytes, 512);
  EXPECT_EQ(both.arrays[0].read.requested->value, Amount(1024));
  EXPECT_EQ(both.read.dram->value, Amount(1024));
}

TEST(PlanAgainstReport, ComparesTotals) {
  ncu::Launch launch{.kernel = "k"};
  launch.entries = {{.name = "dram__bytes_read.sum", .unit = "byte", .value = 1280}};
  const auto made = compare_plan(plan_at(16), traffic_of(launch), {});
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(made->sentences,
              Contains("the plan reads 2,560 bytes; DRAM reads 1,280 (0.50 times as many)"));
  EXPECT_EQ(made->tables.size(), 1u);
}

LAW(Traffic, ArraysAddUpToTheWhole) {
  std::vector<Load> loads;
  static const char* const kNames[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; ++i) {
    const auto times = [&] { return static_cast<uint64_t>(rng.between(1, 5)); };
    loads.push_back(
        {kNames[i], 32 * static_cast<uint64_t>(rng.between(1, 100)), times(), times(), times()});
  }
  const KernelTraffic kernel = traffic_of({kernel_of(loads)});
  Traffic sum;
  for (const ArrayTraffic& array : kernel.arrays) sum += array.read;
  EXPECT_EQ(sum.requested->value, kernel.read.requested->value);
  EXPECT_EQ(sum.l2->value, kernel.read.l2->value);
  EXPECT_EQ(sum.dram->value, kernel.read.dram->value);
}

LAW(TensorBytes, AddUpToTheGlobalBytesOfTheLedger) {
  const tile::CheckedProgram program = program_at(4 * rng.between(1, 1 + rng.size()));
  Expression sum = 0;
  for (const tile::TensorBytes& one : tile::tensor_bytes(program)) sum += one.read + one.written;
  EXPECT_EQ(*sum.evaluate(program->known_sizes()), tile::cost_of(program).global);
}

}  // namespace
}  // namespace warpledger::match
