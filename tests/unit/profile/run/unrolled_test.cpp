// Loops that ptxas unrolls, so that one wide load of shared memory serves several iterations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/profile/run/both_engines.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

struct Rows {
  int bytes_apart = 64;
  int loads = 1;  // of a trip, side by side
};

// Each thread sums a row of 16 words of `tile`.
std::string row_sums(const Rows& rows) {
  std::string trip;
  for (int i = 0; i < rows.loads; ++i)
    trip += fmt::format("  ld.shared.f32 %f2, [%r4+{}];\n  add.f32 %f1, %f1, %f2;\n", 4 * i);
  const std::string step =
      fmt::format("  add.u32 %r4, %r4, {};\n  add.u32 %r5, %r5, {};\n", 4 * rows.loads, rows.loads);
  return testing::kernel_of_x_and_y("row_sums", R"(
  .shared .align 16 .b8 tile[12288];
  ld.global.f32 %f0, [%rd3];
  mov.u32 %r1, tile;
  shl.b32 %r2, %r0, 2;
  add.u32 %r3, %r1, %r2;
  st.shared.f32 [%r3], %f0;
  bar.sync 0;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r5, 0;
)" + fmt::format("  mad.lo.u32 %r4, %r0, {}, %r1;\nNEXT:\n", rows.bytes_apart) +
                                                    trip + step + R"(
  setp.lt.u32 %p0, %r5, 16;
  @%p0 bra NEXT;
  st.global.f32 [%rd4], %f1;
)");
}

double number(const Profile& profile, const char* metric) {
  return answer(metric, profile).value.number().value_or(-1);
}

class UnrolledLoads : public ::testing::TestWithParam<Rows> {};

TEST_P(UnrolledLoads, CostWhatTheMachineCodesLoadsCost) {
  if (!testing::has_tools()) GTEST_SKIP() << "needs ptxas and nvdisasm";
  const auto run = [](exec::EngineChoice engine) {
    return testing::run_with(engine, row_sums(GetParam()), "row_sums", {2, 1, 1}, {128, 1, 1},
                             {"x=f32[256]:index", "y=f32[256]:zero"});
  };
  const Profile mapped = run(exec::EngineChoice::kAuto),
                executed = run(exec::EngineChoice::kMachine);
  for (const char* metric : {"smsp__inst_executed.sum", "smsp__inst_executed_op_shared_ld.sum",
                             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}) {
    EXPECT_GE(number(mapped, metric), 0) << metric;
    EXPECT_EQ(number(mapped, metric), number(executed, metric)) << metric;
  }
}

// Rows of 68 bytes are not aligned to wide accesses.
INSTANTIATE_TEST_SUITE_P(Of, UnrolledLoads,
                         ::testing::Values(Rows{64}, Rows{68}, Rows{80}, Rows{64, 2}, Rows{80, 2}),
                         [](const auto& rows) {
                           return fmt::format("RowsOf{}BytesAndTripsOf{}", rows.param.bytes_apart,
                                              rows.param.loads);
                         });

}  // namespace
}  // namespace warpledger::profile
