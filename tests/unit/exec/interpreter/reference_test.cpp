// The interpreter: control flow, barriers, memory, faults.
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/decode/bad_accesses.h"

namespace warpledger::exec {
namespace {

constexpr const char* kThread = R"(
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %d<8>;
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %rd0, %rd1;
)";

std::vector<uint32_t> run_threads(const std::string& body, uint32_t threads,
                                  std::string* fault = nullptr) {
  TestMachine machine(kernel_text(std::string(kThread) + body));
  const uint64_t out = machine.put(std::vector<uint32_t>(threads, 0), "out");
  const std::string error =
      machine.run({.kernel = "k", .block = {threads, 1, 1}, .params = TestMachine::pack(out)});
  if (fault != nullptr)
    *fault = error;
  else
    EXPECT_EQ(error, "");
  return machine.get<uint32_t>(out, threads);
}

TEST(Reference, StoresWhatEachThreadComputes) {
  const auto out = run_threads("mad.lo.u32 %r1, %r0, 3, 7; st.global.u32 [%rd2], %r1; ret;", 70);
  for (uint32_t i = 0; i < 70; ++i) EXPECT_EQ(out[i], 3 * i + 7);
}

TEST(Reference, GoesOnFromBadAccessesThatAreNoted) {
  TestMachine machine(kernel_text(std::string(kThread) + R"(
    ld.global.u32 %r1, [%rd2];
    add.u32 %r2, %r1, 7;
    st.global.u32 [%rd2], %r2;
    ret;)"));
  BadAccesses noted;
  machine.limits.bad_accesses = &noted;
  const uint64_t out = machine.put(std::vector<uint32_t>(20, 0), "out");
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  for (const uint32_t value : machine.get<uint32_t>(out, 20)) EXPECT_EQ(value % 7, 0u);
  const std::vector<BadAccess> found = noted.take();
  ASSERT_EQ(found.size(), 2u);  // the load and the store
  for (const BadAccess& bad : found) {
    EXPECT_EQ(bad.first.code, "out-of-bounds");
    EXPECT_EQ(bad.lanes % 12, 0u);  // of each run
    EXPECT_NE(describe(bad).message.find("the launch went on"), std::string::npos);
  }
  EXPECT_TRUE(noted.take().empty());
}

TEST(Reference, DivergedLanesMeetAgain) {
  const auto out = run_threads(R"(
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra EVEN;
    mov.u32 %r2, 100;
    bra JOIN;
  EVEN:
    mov.u32 %r2, 200;
  JOIN:
    activemask.b32 %r3;
    popc.b32 %r4, %r3;
    add.u32 %r5, %r2, %r4;
    st.global.u32 [%rd2], %r5;
    ret;)",
                               32);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i % 2 == 0 ? 200 : 100) + 32u);
}

TEST(Reference, LoopsWithDifferentTripCountsReconverge) {
  const auto out = run_threads(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r2, %r2, %r1;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p0, %r1, %r0;
    @%p0 bra LOOP;
    activemask.b32 %r3;
    setp.eq.u32 %p1, %r3, 0xffffffff;
    selp.u32 %r4, 1000, 0, %p1;
    add.u32 %r2, %r2, %r4;
    st.global.u32 [%rd2], %r2;
    ret;)",
                               32);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i * (i + 1) / 2 + 1000);
}

TEST(Reference, EarlyReturnsDoNotHoldUpTheOthers) {
  const auto out = run_threads(R"(
    setp.lt.u32 %p0, %r0, 5;
    @%p0 ret;
    activemask.b32 %r3;
    bar.sync 0;
    st.global.u32 [%rd2], %r3;
    ret;)",
                               64);
  EXPECT_EQ(out[4], 0u);
  EXPECT_EQ(out[5], 0xffffffe0u);
  EXPECT_EQ(out[40], 0xffffffffu);
}

TEST(Reference, LanesThatWaitForALaneOfTheirWarpGoOn) {
  // A lock taken by one lane at a time, as since Volta.
  const auto out = run_threads(R"(
    add.s64 %rd3, %rd0, 252;
  TRY:
    atom.global.cas.b32 %r1, [%rd3], 0, 1;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 bra TRY;
    ld.global.u32 %r2, [%rd0];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd0], %r2;
    atom.global.exch.b32 %r3, [%rd3], 0;
    ret;)",
                               64);
  EXPECT_EQ(out[0], 64u);
}

TEST(Reference, BarriersOrderSharedMemory) {
  TestMachine machine(kernel_text(std::string(kThread) + R"(
    .shared .align 4 .b8 tile[512];
    mov.u32 %r1, tile;
    shl.b32 %r2, %r0, 2;
    add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    xor.b32 %r4, %r0, 127;
    shl.b32 %r4, %r4, 2;
    add.u32 %r4, %r4, %r1;
    ld.shared.u32 %r5, [%r4];
    st.global.u32 [%rd2], %r5;
    ret;)"));
  const uint64_t out = machine.put(std::vector<uint32_t>(128));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {128, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  const auto values = machine.get<uint32_t>(out, 128);
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(values[i], 127 - i);
  EXPECT_EQ(machine.statistics.barriers, 4u);
  EXPECT_EQ(machine.statistics.by_space[1].loads, 4u);
}

TEST(Reference, NamedAndReducingBarriers) {
  const auto out = run_threads(R"(
    setp.lt.u32 %p0, %r0, 40;
    bar.red.popc.u32 %r1, 1, %p0;
    bar.red.and.pred %p1, 2, 64, %p0;
    bar.red.or.pred %p2, 3, 64, !%p0;
    selp.u32 %r2, 1000, 0, %p1;
    selp.u32 %r3, 10000, 0, %p2;
    add.u32 %r1, %r1, %r2;
    add.u32 %r1, %r1, %r3;
    st.global.u32 [%rd2], %r1;
    ret;)",
                               64);
  for (const uint32_t value : out) EXPECT_EQ(value, 10040u);
}

TEST(Reference, ProducersArriveConsumersWait) {
  const auto out = run_threads(R"(
    .shared .align 4 .b8 tile[128];
    setp.lt.u32 %p0, %r0, 32;
    and.b32 %r5, %r0, 31;
    shl.b32 %r5, %r5, 2;
    mov.u32 %r6, tile;
    add.u32 %r6, %r6, %r5;
    @%p0 bra CONSUME;
    st.shared.u32 [%r6], %r0;
    bar.arrive 5, 64;
    ret;
  CONSUME:
    bar.sync 5, 64;
    ld.shared.u32 %r7, [%r6];
    st.global.u32 [%rd2], %r7;
    ret;)",
                               64);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 32);
}

TEST(Reference, FunctionsRecurseAndReturn) {
  TestMachine machine(R"(.version 8.4
.target sm_80
.address_size 64
.func (.param .b32 result) fact(.param .b32 n)
{
  .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u32 %r0, [n];
  setp.gt.u32 %p0, %r0, 1;
  @%p0 bra MORE;
  st.param.b32 [result], 1;
  ret;
MORE:
  sub.u32 %r1, %r0, 1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    call.uni (b), fact, (a);
    ld.param.b32 %r2, [b];
  }
  mul.lo.u32 %r3, %r2, %r0;
  st.param.b32 [result], %r3;
  ret;
}
.visible .entry k(.param .u64 p0)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %tid.x;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r0;
    call (b), fact, (a);
    ld.param.b32 %r1, [b];
  }
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %rd0, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)");
  const uint64_t out = machine.put(std::vector<uint32_t>(10));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {10, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  EXPECT_EQ(machine.get<uint32_t>(out, 10),
            (std::vector<uint32_t>{1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880}));
}

void expect_fault(const std::string& body, const std::vector<std::string>& words,
                  Limits limits = {}) {
  TestMachine machine(kernel_text(std::string(kThread) + body));
  machine.limits = limits;
  const uint64_t out = machine.put(std::vector<uint32_t>(64), "out");
  const std::string fault = machine.run(
      {.kernel = "k", .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = TestMachine::pack(out)});
  for (const std::string& word : words)
    EXPECT_NE(fault.find(word), std::string::npos) << word << " in:\n" << fault;
}

TEST(Fault, OutOfBounds) {
  expect_fault(".loc 1 7 0\nadd.s64 %rd2, %rd2, 128; st.global.u32 [%rd2], %r0; ret;",
               {"[out-of-bounds]", "kernel 'k'", "block (0,0,0)", "thread (32,0,0)",
                "'out' (256 bytes", "test.ptx:"});
}
TEST(Fault, Misaligned) {
  expect_fault("add.s64 %rd2, %rd2, 2; ld.global.u32 %r1, [%rd2]; ret;",
               {"[misaligned-access]", "multiple of 4"});
}
TEST(Fault, NullPointer) {
  expect_fault("mov.u64 %rd3, 0; ld.global.u32 %r1, [%rd3]; ret;", {"null pointer"});
}
TEST(Fault, SharedOutOfBounds) {
  expect_fault("ld.shared.u32 %r1, [64]; ret;", {"[out-of-bounds]", "shared memory has 0 bytes"});
}
TEST(Fault, EndlessLoop) {
  expect_fault("LOOP: add.u32 %r1, %r1, 1; bra LOOP;", {"[step-limit]", "thread (0,0,0)"},
               {.warp_instructions = 100'000});
}
TEST(Fault, Deadline) {
  Deadline at_once;
  at_once.start(0);
  expect_fault("LOOP: add.u32 %r1, %r1, 1; bra LOOP;", {"[time-limit]", "block (0,0,0), thread ("},
               {.deadline = &at_once});
}
TEST(Fault, BarrierThatNotAllReach) {
  expect_fault(R"(setp.lt.u32 %p0, %r0, 32;
    @%p0 bra A;
    bar.sync 1; ret;
  A: bar.sync 2; ret;)",
               {"[barrier-deadlock]", "waits at barrier", "64 threads; 32 have arrived"});
}
TEST(Fault, LanesThatNeverCome) {
  expect_fault(R"(setp.lt.u32 %p0, %r0, 3;
    @%p0 bra A;
    bar.sync 0;
    ret;
  A: shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff; bar.sync 0; ret;)",
               {"[lanes-never-come]", "shfl.sync.idx.b32"});
}
TEST(Fault, Trap) { expect_fault("trap;", {"[trap]"}); }
TEST(Fault, RecursionTooDeep) {
  TestMachine machine(R"(.version 8.4
.target sm_80
.address_size 64
.func f() { .local .align 8 .b8 big[4096]; call f; ret; }
.visible .entry k() { call f; ret; }
)");
  EXPECT_NE(machine.run({.kernel = "k"}).find("[stack-overflow]"), std::string::npos);
}
TEST(Fault, UseAfterFree) {
  TestMachine machine(kernel_text(std::string(kThread) + "ld.global.u32 %r1, [%rd2]; ret;"));
  const uint64_t out = machine.put(std::vector<uint32_t>(64), "out");
  EXPECT_TRUE(machine.memory().free(out).ok());
  EXPECT_NE(machine.run({.kernel = "k", .params = TestMachine::pack(out)}).find("[use-after-free]"),
            std::string::npos);
}
TEST(Fault, OpcodesThatAreNotRunAreNamed) {
  expect_fault("alloca.u32 %r31, %r1; ret;", {"alloca.u32"});
}
TEST(Fault, AHandleThatIsNotATextureIsNamed) {
  expect_fault("tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd0, {%r0}]; ret;",
               {"not a texture", "[bad-texture]"});
}

TEST(Fault, ALaunchFromAKernelIsCalledDynamicParallelism) {
  TestMachine machine(
      ".version 8.4\n.target sm_80\n.address_size 64\n"
      ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a);\n"
      ".visible .entry child(.param .b64 p)\n{\nret;\n}\n"
      ".visible .entry k()\n{\n.reg .b64 %rd<2>;\n.param .b64 a;\n.param .b32 r;\n"
      "mov.b64 %rd1, child;\nst.param.b64 [a], %rd1;\n"
      "call.uni (r), __cudaCDP2LaunchDeviceV2, (a);\nret;\n}\n");
  const std::string fault = machine.run({.kernel = "k", .params = {}});
  EXPECT_NE(fault.find("'__cudaCDP2LaunchDeviceV2': kernels that launch kernels"),
            std::string::npos)
      << fault;
}

// Lanes that sleep in a loop meet the others behind it.
TEST(Divergence, SleepingLanesStillMeetTheOthers) {
  TestMachine machine(kernel_text(R"(
  .reg .pred p; .reg .b32 t, i; .reg .b64 to;
  ld.param.u64 to, [p0];
  mov.u32 t, %laneid;
  mov.u32 i, 0;
L: nanosleep.u32 20;
  add.u32 i, i, 1;
  setp.le.u32 p, i, t;
  @p bra L;
  st.global.u32 [to], t;
  ret;)",
                                  1));
  const uint64_t to = machine.put(std::vector<uint32_t>(1));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(to)}), "");
  EXPECT_NE(machine.trace.find("ffffffff:"), std::string::npos) << machine.trace;
}

}  // namespace
}  // namespace warpledger::exec
