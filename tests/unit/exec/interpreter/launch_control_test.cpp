// clusterlaunchcontrol: the answer to a scheduler that asks for more work.
#include <gmock/gmock.h>

#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {
namespace {

using ::testing::HasSubstr;

// Thread 0 asks, all wait for the answer, read it, and write `is_canceled` out.
std::string asking_kernel(const std::string& then) {
  return kernel_text(
      R"(
  .shared .align 16 .b8 answer[16];
  .shared .align 8 .b64 bar;
  .reg .pred p, q, c; .reg .b32 t, a, b, v, x, y, z; .reg .b64 to, off; .reg .b128 r;
  mov.u32 t, %tid.x;
  mov.u32 a, answer;
  mov.u32 b, bar;
  setp.eq.u32 p, t, 0;
  ld.param.u64 to, [p0];
  @p mbarrier.init.shared::cta.b64 [b], 1;
  bar.sync 0;
  @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 16;
  @p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [a], [b];
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
  ld.shared.b128 r, [a];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 c, r;
  selp.u32 v, 1, 2, c;
)" + then +
          R"(
  mul.wide.u32 off, t, 4;
  add.u64 to, to, off;
  st.global.u32 [to], v;
  ret;)",
      1, "sm_100a", "8.6");
}

std::string run(const std::string& then, std::vector<uint32_t>& out) {
  TestMachine machine(asking_kernel(then));
  const uint64_t to = machine.put(std::vector<uint32_t>(32));
  const std::string error =
      machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(to)});
  out = machine.get<uint32_t>(to, 32);
  return error;
}

TEST(LaunchControl, NothingIsEverThereToTakeOver) {
  std::vector<uint32_t> out;
  EXPECT_EQ(run("", out), "");
  EXPECT_EQ(out, std::vector<uint32_t>(32, 2));
}

TEST(LaunchControl, ABlockThatWasNotCancelledHasNoName) {
  std::vector<uint32_t> out;
  EXPECT_THAT(
      run("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, r;", out),
      HasSubstr("nothing-cancelled"));
}

TEST(LaunchControl, AGuardedQuestionIsNotAsked) {
  std::vector<uint32_t> out;
  EXPECT_EQ(
      run("@c clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, r;", out),
      "");
}

}  // namespace
}  // namespace warpledger::exec
