// Calls and jumps through tables in compiled code: as the interpreter does them, one by one.
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/thread_kernel.h"

namespace warpledger::exec {
namespace {

class JitCalls : public NeedsCompiler {};

struct Ran {
  Comparison compared;
  std::vector<uint32_t> out;
};

Ran run(const std::string& functions, const std::string& body, uint32_t threads = 64) {
  TestMachine machine(".version 8.4\n.target sm_80\n.address_size 64\n" + functions +
                      ".visible .entry k(.param .u64 p0)\n{\n" + kThread + body + "}\n");
  const uint64_t out = machine.put(std::vector<uint32_t>(256), "out");
  const Launch launch{
      .kernel = "k", .grid = {2, 1, 1}, .block = {threads, 1, 1}, .params = TestMachine::pack(out)};
  Ran ran{compare_engines(machine.image(), launch, {.warp_instructions = 200'000}, 2), {}};
  ran.out = machine.get<uint32_t>(out, threads);
  return ran;
}

void expect_alike(const Ran& ran) {
  EXPECT_TRUE(ran.compared.compiled);
  EXPECT_EQ(ran.compared.error, "");
  EXPECT_EQ(ran.compared.difference, "");
}

// Doubles odd numbers and leaves the others alone, by an early return.
constexpr const char* kEarly = R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r0, [a];
  st.param.b32 [r], %r0;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 bra DONE;
  shl.b32 %r0, %r0, 1;
  st.param.b32 [r], %r0;
DONE:
  ret;
}
)";
constexpr const char* kCallOfF = R"(
  { .param .b32 x; .param .b32 y;
  st.param.b32 [x], %r0; call.uni (y), f, (x); ld.param.b32 %r1, [y]; }
)";

TEST_F(JitCalls, LanesThatReturnEarlyMeetTheOthersBehindTheCall) {
  const Ran ran = run(kEarly, std::string(kCallOfF) + R"(
  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
  st.global.u32 [%rd2], %r2;
  ret;)");
  expect_alike(ran);
  EXPECT_EQ(ran.out[2], 6u);
  EXPECT_EQ(ran.out[3], 2u);
}

TEST_F(JitCalls, AGuardedReturnLeavesTheFunctionAndNotTheKernel) {
  const Ran ran = run(R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r0, [a];
  st.param.b32 [r], %r0;
  setp.lt.u32 %p0, %r0, 7;
  @%p0 ret;
  add.u32 %r0, %r0, 100;
  st.param.b32 [r], %r0;
  setp.lt.u32 %p0, %r0, 120;
  @%p0 ret;
  add.u32 %r0, %r0, 1000;
  st.param.b32 [r], %r0;
}
)",
                      std::string(kCallOfF) + "st.global.u32 [%rd2], %r1; ret;");
  expect_alike(ran);
  EXPECT_EQ(ran.out[6], 6u);
  EXPECT_EQ(ran.out[19], 119u);
  EXPECT_EQ(ran.out[20], 1120u);
}

TEST_F(JitCalls, ThreadsThatExitInAFunctionDoNotComeBack) {
  const Ran ran =
      run(R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r0, [a];
  st.param.b32 [r], %r0;
  setp.lt.u32 %p0, %r0, 7;
  @%p0 exit;
  setp.gt.u32 %p0, %r0, 40;
  @%p0 bra OUT;
  ret;
OUT:
  st.param.b32 [r], %r0;
  exit;
}
)",
          std::string(kCallOfF) + "add.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1; ret;");
  expect_alike(ran);
  EXPECT_EQ(ran.out[6], 0u);
  EXPECT_EQ(ran.out[7], 8u);
  EXPECT_EQ(ran.out[41], 0u);
}

TEST_F(JitCalls, CallsInDivergedLoopsKeepLanesApart) {
  const Ran ran = run(kEarly, R"(
  and.b32 %r3, %r0, 3;
  mov.u32 %r4, 0;
LOOP:
  setp.gt.u32 %p1, %r4, %r3;
  @%p1 bra END;
  { .param .b32 x; .param .b32 y;
  st.param.b32 [x], %r0; call.uni (y), f, (x); ld.param.b32 %r0, [y]; }
  add.u32 %r0, %r0, 1;
  add.u32 %r4, %r4, 1;
  bra LOOP;
END:
  st.global.u32 [%rd2], %r0;
  ret;)");
  expect_alike(ran);
  EXPECT_EQ(ran.out[0], 1u);
  EXPECT_EQ(ran.out[1], 7u);  // two turns, each twice as much and one more
}

TEST_F(JitCalls, ABarrierInAFunctionHoldsTheBlock) {
  const Ran ran = run(R"(
.shared .align 4 .b8 tile[256];
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .b32 %r<6>;
  ld.param.u32 %r0, [a];
  mov.u32 %r1, tile;
  shl.b32 %r2, %r0, 2;
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [%r3], %r0;
  bar.sync 0;
  xor.b32 %r2, %r2, 252;
  add.u32 %r3, %r1, %r2;
  ld.shared.u32 %r4, [%r3];
  st.param.b32 [r], %r4;
  ret;
}
)",
                      std::string(kCallOfF) + "st.global.u32 [%rd2], %r1; ret;");
  expect_alike(ran);
  EXPECT_EQ(ran.out[5], 58u);
}

TEST_F(JitCalls, PrintTheSame) {
  const Ran ran = run(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {37, 100, 10, 0};
)",
                      R"(
  .local .align 8 .b8 mine[8];
  mov.u64 %rd3, mine; cvta.local.u64 %rd4, %rd3;
  st.local.u32 [mine], %r0;
  mov.u64 %rd5, text; cvta.global.u64 %rd5, %rd5;
  setp.gt.u32 %p0, %r0, 2;
  @%p0 bra END;
  { .param .b64 x; .param .b64 y; .param .b32 z;
  st.param.b64 [x], %rd5; st.param.b64 [y], %rd4;
  call.uni (z), vprintf, (x, y); ld.param.b32 %r1, [z]; }
END:
  st.global.u32 [%rd2], %r0;
  ret;)");
  expect_alike(ran);
  EXPECT_EQ(ran.compared.output, "0\n1\n2\n0\n1\n2\n");
}

TEST_F(JitCalls, TablesSendLanesManyWays) {
  const Ran ran = run("", R"(
  and.b32 %r1, %r0, 3;
T: .branchtargets A, B, A, C;
  brx.idx %r1, T;
A: add.u32 %r2, %r0, 100; bra END;
B: add.u32 %r2, %r0, 200;
C: add.u32 %r2, %r2, 300;
END:
  st.global.u32 [%rd2], %r2;
  ret;)");
  expect_alike(ran);
  EXPECT_EQ(ran.out[0], 100u);
  EXPECT_EQ(ran.out[1], 501u);
  EXPECT_EQ(ran.out[2], 102u);
  EXPECT_EQ(ran.out[3], 300u);
}

TEST_F(JitCalls, AnIndexBeyondItsTableIsNamed) {
  const Ran ran = run("", R"(
T: .branchtargets A, B;
  brx.idx %r0, T;
A: st.global.u32 [%rd2], %r0; ret;
B: ret;)");
  EXPECT_TRUE(ran.compared.compiled);
  EXPECT_EQ(ran.compared.difference, "");
  EXPECT_NE(ran.compared.error.find("branch index is past the end"), std::string::npos);
}

TEST_F(JitCalls, RecursionIsLeftToTheInterpreter) {
  const Ran ran = run(R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r0, [a];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra DONE;
  sub.u32 %r1, %r0, 1;
  { .param .b32 x; .param .b32 y;
  st.param.b32 [x], %r1; call.uni (y), f, (x); ld.param.b32 %r0, [y]; }
  add.u32 %r0, %r0, 2;
DONE:
  st.param.b32 [r], %r0;
  ret;
}
)",
                      std::string(kCallOfF) + "st.global.u32 [%rd2], %r1; ret;");
  EXPECT_FALSE(ran.compared.compiled);
  EXPECT_EQ(ran.compared.error, "");
  EXPECT_EQ(ran.out[5], 10u);
}

}  // namespace
}  // namespace warpledger::exec
