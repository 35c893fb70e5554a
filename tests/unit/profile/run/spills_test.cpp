// Spilled registers under a launch that runs as PTX: the machine-code engine is the oracle.
#include "warpledger/profile/run/spills.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/profile/run/both_engines.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

constexpr int kValues = 40;

/// Loads 40 values, then stores them behind a barrier, with room for few of them.
std::string crowded() {
  std::string loads, stores;
  for (int i = 0; i < kValues; ++i) {
    loads += fmt::format("  ld.global.f32 %f{}, [%rd3+{}];\n", i, 512 * i);
    stores += fmt::format("  st.global.f32 [%rd4+{}], %f{};\n", 512 * i, kValues - 1 - i);
  }
  return testing::kernel_of_x_and_y("crowded", loads + "  bar.sync 0;\n" + stores, ".maxnreg 24");
}

Profile run_crowded(exec::EngineChoice engine) {
  return testing::run_with(engine, crowded(), "crowded", {4, 1, 1}, {128, 1, 1},
                           {"x=f32[5632]:index", "y=f32[5632]:zero"});
}

Value value(const Profile& profile, const char* metric) { return answer(metric, profile).value; }

TEST(Spills, AskOfLocalMemoryWhatTheMachineCodeAsks) {
  if (!testing::has_tools()) GTEST_SKIP() << "needs ptxas and nvdisasm";
  const Profile mapped = run_crowded(exec::EngineChoice::kAuto);
  const Profile executed = run_crowded(exec::EngineChoice::kMachine);
  for (const char* metric :
       {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "lts__t_sectors_op_write.sum"}) {
    EXPECT_GT(value(executed, metric).number(), 0) << metric;
    EXPECT_EQ(value(mapped, metric).number(), value(executed, metric).number()) << metric;
  }
}

TEST(Spills, AreModeledWhereTheLaunchRanAsPtx) {
  if (!testing::has_tools()) GTEST_SKIP() << "needs ptxas and nvdisasm";
  const Profile profile = run_crowded(exec::EngineChoice::kAuto);
  const char* metric = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
  EXPECT_EQ(value(profile, metric).fidelity, Fidelity::kModeled);
}

/// A profile whose machine code is one spilled load and one spilled store, each run 10 times.
struct Spilling {
  Profile profile = testing::plain_profile();
  sass::KernelWitness kernel;
  memory::Config config = {.ctas_per_sm = 2, .l1_bytes = 64 << 10};
  explicit Spilling(uint32_t frame_bytes) {
    profile.code.resize(1);
    profile.program = {{.executions = 10, .code = {{.number = 0}, {}}}};
    kernel.frame_bytes = frame_bytes;
    for (uint32_t i = 0; i < 2; ++i) {
      sass::SassAccess access{.index = i, .access_class = sass::AccessClass::kSpill};
      access.access.kind = i == 0 ? sass::AccessKind::kLoad : sass::AccessKind::kStore;
      access.access.space = sass::AccessSpace::kLocal;
      access.access.width = 8;
      kernel.accesses.push_back(access);
    }
  }
};

TEST(Spills, LoadsHitTheL1AsFarAsTheFramesOfResidentThreadsFit) {
  Spilling fits(128), crowds(512);  // 512 threads: 64 KiB and 256 KiB
  for (Spilling* one : {&fits, &crowds}) add_spills(one->kernel, one->config, one->profile);
  const memory::SiteCounters& in = fits.profile.counters.sites[0];
  const memory::SiteCounters& out = crowds.profile.counters.sites[0];
  EXPECT_EQ(in.request.sectors, 80u);  // 2 words of 32 lanes: 8 sectors, 10 times
  EXPECT_EQ(in.l1_hit_sectors, 80u);
  EXPECT_EQ(in.l2_sectors, 0u);
  EXPECT_EQ(out.l1_hit_sectors, 20u);
  EXPECT_EQ(out.l2_sectors, 60u);
  EXPECT_EQ(crowds.profile.counters.l2.read_sectors, 60u);
}

TEST(Spills, StoresGoOnToTheL2) {
  Spilling one(128);
  add_spills(one.kernel, one.config, one.profile);
  EXPECT_EQ(one.profile.counters.sites[1].l2_sectors, 80u);
  EXPECT_EQ(one.profile.counters.l2.write_sectors, 80u);
}

TEST(Spills, StandInTheCountersOfEveryOrder) {
  Spilling one(128);
  one.profile.other_orders.resize(1);
  add_spills(one.kernel, one.config, one.profile);
  EXPECT_EQ(one.profile.other_orders[0].sites, one.profile.counters.sites);
  memory::Counters later;
  copy_spills(one.profile, later);
  EXPECT_EQ(later.sites, one.profile.counters.sites);
}

}  // namespace
}  // namespace warpledger::profile
