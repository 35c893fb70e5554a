// Where warps give way to each other, and what programs that lack a barrier give.
#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "tests/unit/race/racy_kernel.h"
#include "warpledger/base/file.h"

namespace warpledger::exec {
namespace {

LAW(Turns, BothEnginesLeaveTheSameMemoryWhereThreadsRace) {
  if (!can_compile()) return;
  const race::RacyKernel kernel(rng);
  TestMachine machine(kernel.text());
  const Launch launch = race::RacyKernel::launch(rng, machine);
  const Comparison both = compare_engines(machine.image(), launch, {}, 2);
  EXPECT_EQ(both.error, "") << kernel.text();
  EXPECT_TRUE(both.compiled);
  EXPECT_EQ(both.difference.substr(0, 400), "") << kernel.text();
}

constexpr const char* kHead =
    ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n.shared .align 16 .b8 s[1024];\n"
    "ld.param.u64 %d0, [p0];\nld.param.u64 %d1, [p1];\nmov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %d2, %r0, 4;\nadd.u64 %d3, %d0, %d2;\nadd.u64 %d4, %d1, %d2;\n"
    "mov.u32 %r9, s;\nshl.b32 %r1, %r0, 2;\nadd.u32 %r1, %r1, %r9;\n";

/// The opcodes of the steps of `body` that give way. %d3 points into one buffer, %d4 into another
/// one, or into the same.
std::vector<std::string> turns_of(const std::string& body, bool same_buffer = false,
                                  uint32_t threads = 64) {
  TestMachine machine(kernel_text(kHead + body + "ret;\n", 2));
  const uint64_t one = machine.put(std::vector<uint32_t>(256), "one");
  const uint64_t two = same_buffer ? one : machine.put(std::vector<uint32_t>(256), "two");
  const Launch launch{
      .kernel = "k", .block = {threads, 1, 1}, .params = TestMachine::pack(one, two)};
  auto engine = reference::Engine::create(machine.image(), launch);
  EXPECT_TRUE(engine) << (engine ? "" : to_text(engine.error()));
  std::vector<std::string> found;
  if (!engine) return found;
  for (const reference::Step& step : (*engine)->program().codes[0]->steps)
    if (step.gives_way) found.emplace_back(step.spelling().text);
  return found;
}

TEST(Turns, AWriteToWhatWasReadGivesWay) {
  EXPECT_THAT(turns_of("ld.global.u32 %r2, [%d3];\nst.global.u32 [%d3], %r2;\n"),
              ::testing::ElementsAre("st.global.u32"));
}

TEST(Turns, AWriteToAnotherAllocationDoesNot) {
  EXPECT_THAT(turns_of("ld.global.u32 %r2, [%d3];\nst.global.u32 [%d4], %r2;\n"),
              ::testing::IsEmpty());
}

TEST(Turns, TwoParametersMayPointIntoOneAllocation) {
  EXPECT_THAT(turns_of("ld.global.u32 %r2, [%d3];\nst.global.u32 [%d4], %r2;\n", true),
              ::testing::ElementsAre("st.global.u32"));
}

TEST(Turns, ABarrierOfTheBlockIsATurnOfItsOwn) {
  EXPECT_THAT(turns_of("ld.shared.u32 %r2, [%r1];\nbar.sync 0;\nst.shared.u32 [%r1], %r2;\n"),
              ::testing::IsEmpty());
}

TEST(Turns, OneOfTwoWritesInARowIsEnough) {
  EXPECT_THAT(turns_of("ld.shared.u32 %r2, [%r1];\nst.shared.u32 [%r1], %r2;\n"
                       "st.shared.u16 [%r1+128], %r2;\n"),
              ::testing::ElementsAre("st.shared.u32"));
}

TEST(Turns, AReadBehindTheWriteComesAroundInALoop) {
  EXPECT_THAT(turns_of("mov.u32 %r3, 0;\nL:\nst.shared.u32 [%r1], %r3;\n"
                       "ld.shared.u32 %r2, [s];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 4;\n"
                       "@%p1 bra L;\n"),
              ::testing::ElementsAre("st.shared.u32"));
}

TEST(Turns, ABlockOfOneWarpHasNobodyToGiveWayTo) {
  EXPECT_THAT(turns_of("ld.global.u32 %r2, [%d3];\nst.global.u32 [%d3], %r2;\n", false, 32),
              ::testing::IsEmpty());
}

TEST(Turns, WhoPollsGivesWay) {
  EXPECT_THAT(turns_of("ld.volatile.global.u32 %r2, [%d3];\n"),
              ::testing::ElementsAre("ld.volatile.global.u32"));
}

/// Both engines, records written or not, one thread or two: the floats at `out` are the same.
std::vector<float> run_everywhere(TestMachine& machine, const Launch& launch, uint64_t out,
                                  size_t count) {
  const MemorySnapshot before(machine.image().memory());
  auto engine = reference::Engine::create(machine.image(), launch);
  EXPECT_TRUE(engine);
  trace::NoSink sink;
  EXPECT_TRUE(trace::run_all(**engine, sink, 4));
  const std::vector<float> first = machine.get<float>(out, count);
  for (const bool record : {true, false}) {
    for (const uint32_t threads : {1u, 2u}) {
      if (!can_compile()) continue;
      before.restore();
      const JitRun run = run_jit(machine.image(), launch, {}, 4, record, threads);
      EXPECT_EQ(run.error, "");
      EXPECT_EQ(machine.get<float>(out, count), first) << record << threads;
    }
  }
  return first;
}

std::string example(const std::string& name) {
  return *read_file(test::source_path("examples/races/") + name);
}

TEST(Turns, ASumThatIsReadTooLateComesOutRight) {
  for (const char* file : {"block_sum.ptx", "block_sum_fixed.ptx"}) {
    TestMachine machine(example(file), file);
    std::vector<float> x(768);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 4);
    const uint64_t in = machine.put(x, "x");
    const uint64_t out = machine.put(std::vector<float>(16), "out");
    const Launch launch{.kernel = "mean_and_variance",
                        .block = {256, 1, 1},
                        .params = TestMachine::pack(in, out, 768)};
    const std::vector<float> result = run_everywhere(machine, launch, out, 16);
    for (size_t warp = 0; warp < 8; ++warp) {
      EXPECT_EQ(result[2 * warp], 1.5f) << file << " warp " << warp;
      EXPECT_EQ(result[2 * warp + 1], 1.25f) << file << " warp " << warp;
    }
  }
}

TEST(Turns, WarpsThatAddToOneElementAddOnce) {
  constexpr uint32_t kSize = 1024;  // long enough to fill buffers of records and end turns
  TestMachine machine(example("matrix_vector.ptx"), "matrix_vector.ptx");
  const uint64_t a = machine.put(std::vector<float>(size_t{64} * kSize, 1.0f), "a");
  const uint64_t y = machine.put(std::vector<float>(kSize, 1.0f), "y");
  const uint64_t x = machine.put(std::vector<float>(64, 2.0f), "x");
  const Launch launch{.kernel = "matrix_vector",
                      .grid = {2, 1, 1},
                      .block = {32, 8, 1},
                      .params = TestMachine::pack(a, y, x, kSize)};
  for (const float element : run_everywhere(machine, launch, x, 64))
    EXPECT_EQ(element, 2.0f + static_cast<float>(kSize));
}

}  // namespace
}  // namespace warpledger::exec
