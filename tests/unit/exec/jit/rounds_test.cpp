// A warp lets others run after so many instructions, and the scheduler looks elsewhere after so
// many such turns: a block may end in any.
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kTurns = 70;  // some more than the scheduler gives at once

/// A loop of three instructions.
std::string kernel_of_a_loop() {
  return kernel_text(R"(
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [p0];
  ld.global.u32 %r0, [%rd0];
L:
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra L;
  ret;)");
}

TEST(Rounds, ABlockMayEndInAnyOfThem) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  TestMachine machine(kernel_of_a_loop());
  for (uint32_t turn = 1; turn <= kTurns; ++turn) {
    const auto times = static_cast<uint32_t>(kTurnInstructions * turn / 3 - 1000);
    const uint64_t at = machine.put(std::vector<uint32_t>{times}, "times");
    const Launch launch{.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(at)};
    for (const uint32_t threads : {1, 2}) {
      const JitRun run = run_jit(machine.image(), launch, {}, 2, /*record=*/false, threads);
      ASSERT_EQ(run.error, "") << turn << " turns, " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
