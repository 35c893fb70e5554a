// Behaviors of the compiled engine that random kernels do not cover.
#include "warpledger/exec/jit/runtime/engine.h"

#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/thread_kernel.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/run/engine.h"

namespace warpledger::exec {
namespace {

class JitEngine : public NeedsCompiler {};

// The JIT's own answer, compared with the interpreter's on the way.
Comparison run_both(TestMachine& machine, uint32_t threads, const std::vector<std::byte>& params) {
  return compare_engines(machine.image(),
                         {.kernel = "k", .block = {threads, 1, 1}, .params = params},
                         {.warp_instructions = 200'000}, 2);
}

Comparison run_body(const std::string& body, uint32_t threads, size_t words = 256) {
  TestMachine machine(kernel_text(std::string(kThread) + body));
  const uint64_t out = machine.put(std::vector<uint32_t>(words), "out");
  return run_both(machine, threads, TestMachine::pack(out));
}

TEST_F(JitEngine, NamesAnAccessOutOfBoundsLikeTheInterpreter) {
  const Comparison run = run_body("st.global.u32 [%rd2+960], %r0; ret;", 32);
  EXPECT_TRUE(run.compiled);
  EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(JitEngine, RecordsSharedMemoryOfAClusterLikeTheInterpreter) {
  TestMachine machine(kernel_text(std::string(kThread) + R"(
  .shared .align 4 .b8 tile[128];
  mov.u32 %r1, tile;
  cvt.u32.u64 %r2, %rd1;
  add.u32 %r1, %r1, %r2;
  st.shared.u32 [%r1], %r0;
  ld.shared::cluster.u32 %r3, [%r1];
  st.global.u32 [%rd2], %r3;
  ret;)",
                                  1, "sm_90", "8.0"));
  const uint64_t out = machine.put(std::vector<uint32_t>(32), "out");
  const Comparison run = run_both(machine, 32, TestMachine::pack(out));
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.difference, "");
  EXPECT_EQ(run.statistics.by_space[static_cast<size_t>(trace::Space::kShared)].loads, 1u);
}

TEST_F(JitEngine, CountsAGenericAccessInTheSpaceThatItTouches) {
  const Comparison run = run_body(R"(
  .shared .align 4 .b8 tile[128];
  mov.u64 %rd3, tile;
  cvta.shared.u64 %rd3, %rd3;
  add.s64 %rd3, %rd3, %rd1;
  st.u32 [%rd3], %r0;
  ld.u32 %r3, [%rd3];
  st.u32 [%rd2], %r3;
  ret;)",
                                  32);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.difference, "");
  const auto& shared = run.statistics.by_space[static_cast<size_t>(trace::Space::kShared)];
  EXPECT_EQ(shared.loads, 1u);
  EXPECT_EQ(shared.stores, 1u);
  EXPECT_EQ(run.statistics.by_space[static_cast<size_t>(trace::Space::kGlobal)].stores, 1u);
}

TEST_F(JitEngine, FindsAnAccessThatLeavesItsBufferInTheMiddleOfALoop) {
  const Comparison run = run_body(R"(
  LOOP:
    st.global.u32 [%rd2], %r0;
    add.s64 %rd2, %rd2, 128;
    bra LOOP;)",
                                  32);
  EXPECT_TRUE(run.compiled);
  EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(JitEngine, NamesAMisalignedAccess) {
  const Comparison run = run_body("st.global.u32 [%rd2+2], %r0; ret;", 32);
  EXPECT_NE(run.error.find("misaligned"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(JitEngine, StopsAnEndlessLoop) {
  TestMachine machine(kernel_text(std::string(kThread) + "LOOP: add.u32 %r0, %r0, 1; bra LOOP;"));
  const uint64_t out = machine.put(std::vector<uint32_t>(32));
  const JitRun run = run_jit(machine.image(),
                             {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)},
                             {.warp_instructions = 100'000}, 1);
  EXPECT_EQ(run.code, "step-limit");
}

TEST_F(JitEngine, StopsAtTheDeadlineAndSaysWhere) {
  TestMachine machine(kernel_text(std::string(kThread) + "LOOP: add.u32 %r0, %r0, 1; bra LOOP;"));
  const uint64_t out = machine.put(std::vector<uint32_t>(32));
  Deadline at_once;
  at_once.start(0);
  const JitRun run = run_jit(machine.image(),
                             {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)},
                             {.deadline = &at_once}, 1);
  EXPECT_EQ(run.code, kTimeLimit);
}

TEST_F(JitEngine, NamesABarrierThatSomeWarpsNeverReach) {
  const Comparison run = run_body(R"(
    setp.lt.u32 %p0, %r0, 32;
    @%p0 bra FIRST;
    bar.sync 1;
    ret;
  FIRST:
    bar.sync 2;
    ret;)",
                                  64);
  EXPECT_TRUE(run.compiled);
  EXPECT_NE(run.error.find("waits at barrier"), std::string::npos) << run.error;
}

TEST_F(JitEngine, WarpsThatSpinOnASharedFlagEnd) {
  const Comparison run = run_body(R"(
    .shared .align 4 .b8 flag[4];
    mov.u32 %r1, flag;
    setp.ge.u32 %p0, %r0, 32;
    @%p0 bra PRODUCE;
  WAIT:
    ld.volatile.shared.u32 %r2, [%r1];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra WAIT;
    st.global.u32 [%rd2], %r2;
    ret;
  PRODUCE:
    mov.u32 %r3, 7;
    st.volatile.shared.u32 [%r1], %r3;
    ret;)",
                                  64);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error, "");
}

// Two blocks, each of which waits for a flag that no thread sets.
constexpr const char* kWaitForNobody = R"(
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd0, %rd4;
  WAIT:
    ld.volatile.global.u32 %r2, [%rd5];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra WAIT;
    ret;)";

TEST_F(JitEngine, NamesEveryBlockThatWaitsForAValueThatNobodyWrites) {
  TestMachine machine(kernel_text(std::string(kThread) + kWaitForNobody));
  const uint64_t out = machine.put(std::vector<uint32_t>(64));
  for (const uint32_t threads : {1u, 2u}) {
    const JitRun run = run_jit(
        machine.image(),
        {.kernel = "k", .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = TestMachine::pack(out)},
        {}, 2, false, threads);
    EXPECT_EQ(run.code, "ctas-wait-for-each-other");
    for (const char* word : {"no thread writes", "kernel 'k'", "block (0,0,0)", "thread (0,0,0)",
                             "test.ptx:", "warp 1 of block (1,0,0)"})
      EXPECT_NE(run.error.find(word), std::string::npos) << word << "\n" << run.error;
  }
}

// Block 0 waits for block 1, which finds no room.
TEST_F(JitEngine, SaysThatBlocksFindNoRoom) {
  TestMachine machine(kernel_text(std::string(kThread) + R"(
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra WAIT;
    mov.u32 %r3, 1;
    st.volatile.global.u32 [%rd0], %r3;
    ret;
  WAIT:
    ld.volatile.global.u32 %r2, [%rd0];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra WAIT;
    ret;)"));
  const uint64_t out = machine.put(std::vector<uint32_t>(64));
  const Launch launch{
      .kernel = "k", .grid = {2, 1, 1}, .block = {32, 1, 1}, .params = TestMachine::pack(out)};
  EXPECT_NE(run_jit(machine.image(), launch, {}, 1).error.find("do not fit on the GPU"),
            std::string::npos);
  EXPECT_EQ(run_jit(machine.image(), launch, {}, 2).error, "");
}

TEST_F(JitEngine, ALaunchThatNeedsTheInterpreterRunsThereFromTheStart) {
  // Both halves of a warp meet in one barrier, each from its own branch.
  TestMachine machine(kernel_text(std::string(kThread) + R"(
    ld.global.u32 %r4, [%rd2];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd2], %r4;
    setp.lt.u32 %p0, %r0, 16;
    @%p0 bra OTHER;
    bar.sync 0;
    ret;
  OTHER:
    bar.sync 0;
    ret;)"));
  const uint64_t out = machine.put(std::vector<uint32_t>(32, 5));
  trace::NoSink sink;
  const auto done = run_launch(
      machine.image(), {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)}, sink,
      {.record = false});
  ASSERT_TRUE(done) << to_text(done.error());
  EXPECT_FALSE(done->compiled);
  EXPECT_NE(done->why_not, "");
  EXPECT_EQ(machine.get<uint32_t>(out, 32), std::vector<uint32_t>(32, 6));
}

TEST_F(JitEngine, ThirtyTwoBitSumsThatWrapAreWidenedAfterTheSum) {
  const Comparison run = run_body(R"(
    mov.u32 %r1, 0xfffffff0;
    add.u32 %r2, %r1, %r0;
    cvt.u64.u32 %rd3, %r2;
    shr.u64 %rd3, %rd3, 4;
    cvt.u32.u64 %r3, %rd3;
    st.global.u32 [%rd2], %r3;
    ret;)",
                                  32);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.difference, "");
}

// Without values too: what a guard lets through is counted, whatever becomes of the instruction.
TEST_F(JitEngine, GuardedInstructionsThatAreDroppedCountTheirLanes) {
  const Comparison run = run_body(R"(
    setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 99; mov.u32 %r2, 0; mov.f32 %f2, 0f00000000;
    @%p1 mov.f32 %f2, 0f3f800000;
  LOOP:
    ld.global.f32 %f1, [%rd2];
    @%p1 fma.rn.f32 %f2, %f1, %f1, %f2;
    @!%p2 mul.f32 %f2, %f2, %f1;
    @%p1 shfl.sync.bfly.b32 %r9, %r0, 0, 31, 1;
    @%p1 ex2.approx.f32 %f4, %f2;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 4; @%p3 bra LOOP;
    @%p1 st.global.f32 [%rd2], %f2;
    @%p1 red.global.add.f32 [%rd2], %f2;
    ret;)",
                                  64);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error + run.difference, "");
}

TEST_F(JitEngine, MatmulsRunAlikeInBothEngines) {
  const auto text = read_file(test::source_path("tests/inputs/ptx/matmul.ptx"));
  ASSERT_TRUE(text);
  for (const auto& [name, tile] :
       {std::pair{"matmul_naive", 16u}, {"matmul_tiled", 16u}, {"matmul_register_tiled", 64u}}) {
    TestMachine machine(*text, "matmul.ptx");
    constexpr uint32_t kSize = 64;
    std::vector<float> values(kSize * kSize);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) - 8;
    const uint64_t a = machine.put(values, "a"), b = machine.put(values, "b"),
                   c = machine.put(values, "c");
    const Comparison run =
        compare_engines(machine.image(),
                        {.kernel = name,
                         .grid = {kSize / tile, kSize / tile, 1},
                         .block = {16, 16, 1},
                         .params = TestMachine::pack(a, b, c, kSize, kSize, kSize)},
                        {}, 4);
    EXPECT_TRUE(run.compiled) << name;
    EXPECT_EQ(run.error + run.difference, "") << name;
  }
}

}  // namespace
}  // namespace warpledger::exec
