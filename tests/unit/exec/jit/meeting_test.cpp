// Lanes that wait for lanes, one behavior each; both engines where compiled code does it.
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

constexpr const char* kLane = R"(
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .shared .align 4 .b8 cell[256];
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %rd0, %rd1;
  mov.u32 %r30, cell; shl.b32 %r31, %r0, 2; add.u32 %r31, %r30, %r31;
)";

struct Ran {
  Comparison both;
  std::vector<uint32_t> out;
};

Ran run_text(const std::string& text, uint32_t threads) {
  TestMachine machine(text);
  const uint64_t out = machine.put(std::vector<uint32_t>(threads), "out");
  Ran ran;
  ran.both = compare_engines(
      machine.image(), {.kernel = "k", .block = {threads, 1, 1}, .params = TestMachine::pack(out)},
      {}, 1);
  EXPECT_EQ(ran.both.difference, "");
  ran.out = machine.get<uint32_t>(out, threads);
  return ran;
}
Ran run_body(const std::string& body, uint32_t threads = 32) {
  return run_text(kernel_text(kLane + body), threads);
}

class Meeting : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  }
};

// The first set is complete at once, and must go on for the second ever to be.
TEST_F(Meeting, LanesWhoseSetIsCompleteGoOnWithoutTheOthers) {
  const Ran ran = run_body(R"(
    setp.lt.u32 %p0, %r0, 8; setp.lt.u32 %p1, %r0, 16; setp.ge.u32 %p2, %r0, 24;
    mov.u32 %r2, 0;
    @%p2 bra OUT;
    @!%p1 bra OTHERS;
    selp.b32 %r1, 0xff, 0xffff00, %p0;
    vote.sync.ballot.b32 %r2, 1, %r1;
    @!%p0 bra OUT;
    bar.warp.sync 0xff00ff;
    bra OUT;
  OTHERS:
    bar.warp.sync 0xff00ff;
    vote.sync.ballot.b32 %r2, 1, 0xffff00;
  OUT:
    st.global.u32 [%rd2], %r2;
    ret;)");
  EXPECT_EQ(ran.both.error, "");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ran.out[i], i < 8 ? 0xffu : i < 24 ? 0xffff00u : 0u);
}

TEST_F(Meeting, LanesThatAGuardLetsPassDoNotWaitWithTheOthers) {
  const Ran ran = run_body(R"(
    setp.lt.u32 %p0, %r0, 16;
    mov.u32 %r2, 0;
    @%p0 vote.sync.ballot.b32 %r2, 1, 0xffffffff;
    @!%p0 vote.sync.ballot.b32 %r2, 1, 0xffffffff;
    st.global.u32 [%rd2], %r2;
    ret;)");
  EXPECT_EQ(ran.both.error, "");
  EXPECT_EQ(ran.out, std::vector<uint32_t>(32, ~0u));
}

TEST_F(Meeting, LanesOfDifferentFunctionsMeet) {
  const Ran ran = run_text(R"(.version 8.4
.target sm_80
.address_size 64
.func (.reg .b32 %out) of_a_function(.reg .b32 %in)
{
  .reg .b32 %x;
  shfl.sync.bfly.b32 %x, %in, 16, 31, 0xffffffff;
  mov.b32 %out, %x;
  ret;
}
.visible .entry k(.param .u64 p0)
{)" + std::string(kLane) + R"(
  setp.lt.u32 %p0, %r0, 16;
  @%p0 bra CALLS;
  shfl.sync.bfly.b32 %r2, %r0, 16, 31, 0xffffffff;
  bra OUT;
CALLS:
  call (%r2), of_a_function, (%r0);
OUT:
  st.global.u32 [%rd2], %r2;
  ret;
})",
                           32);
  EXPECT_EQ(ran.both.error, "");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ran.out[i], i ^ 16);
}

TEST_F(Meeting, ALaneThatItsOwnMaskDoesNotNameIsAnsweredOverTheMask) {
  const Ran ran = run_body(R"(
    vote.sync.ballot.b32 %r2, 1, 0xf0;
    redux.sync.add.u32 %r3, %r0, 0xf0;
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%rd2], %r2;
    ret;)");
  EXPECT_TRUE(ran.both.compiled);
  EXPECT_EQ(ran.out, std::vector<uint32_t>(32, 0xf0 + 4 + 5 + 6 + 7));
}

TEST_F(Meeting, NobodyIsNamedAndNobodyWaits) {
  const Ran ran = run_body(R"(
    redux.sync.min.u32 %r2, %r0, 0;
    st.global.u32 [%rd2], %r2;
    ret;)");
  EXPECT_TRUE(ran.both.compiled);
  EXPECT_EQ(ran.out, std::vector<uint32_t>(32, 0));
}

TEST_F(Meeting, AnOperationWithOtherQualifiersIsAnotherMeeting) {
  const Ran ran = run_body(R"(
    setp.lt.u32 %p0, %r0, 16; setp.ge.u32 %p1, %r0, 0;
    @%p0 bra OTHER;
    vote.sync.any.pred %p2, %p1, 0xffffffff;
    ret;
  OTHER:
    vote.sync.all.pred %p2, %p1, 0xffffffff;
    ret;)");
  EXPECT_NE(ran.both.error.find("lanes-never-come"), std::string::npos) << ran.both.error;
}

// The address of a store comes from one side's shuffle; the other side's result is not needed.
TEST_F(Meeting, WithoutValuesAShuffleMayNeedWhatTheOtherSideDropped) {
  const Ran ran = run_body(R"(
    setp.lt.u32 %p0, %r0, 16; add.u32 %r3, %r0, 0;
    @%p0 bra OTHER;
    shfl.sync.bfly.b32 %r2, %r3, 16, 31, 0xffffffff;
    mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd0, %rd3;
    st.global.u32 [%rd3], %r0;
    ret;
  OTHER:
    shfl.sync.bfly.b32 %r2, %r3, 16, 31, 0xffffffff;
    add.s64 %rd2, %rd2, 64;
    st.global.u32 [%rd2], %r2;
    ret;)");
  EXPECT_EQ(ran.both.error, "");
  EXPECT_TRUE(ran.both.needed_values);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ran.out[i], i < 16 ? i + 16 : i);
}

// Halves of two warps, crosswise: 16 lanes of each come to barrier 1, and 16 to barrier 2.
TEST_F(Meeting, LanesOfAWarpMayNameDifferentBarriers) {
  const Ran ran = run_body(R"(
    and.b32 %r1, %r0, 16; shr.u32 %r1, %r1, 4; add.u32 %r1, %r1, 1;
    st.shared.u32 [%r31], %r0;
    barrier.sync %r1, 32;
    xor.b32 %r2, %r31, 0; xor.b32 %r3, %r0, 32; shl.b32 %r3, %r3, 2; add.u32 %r3, %r30, %r3;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%rd2], %r4;
    ret;)",
                           64);
  EXPECT_EQ(ran.both.error, "");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], i ^ 32);
}

TEST_F(Meeting, MatrixInstructionsWantTheWholeWarp) {
  const Ran ran = run_body(R"(
    setp.ge.u32 %p0, %r0, 16;
    @%p0 ret;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30];
    st.global.u32 [%rd2], %r1;
    ret;)");
  EXPECT_NE(ran.both.error.find("partial-warp"), std::string::npos) << ran.both.error;
}

// What reductions do in branches: whole warps, and a ballot's lanes.
TEST_F(Meeting, ExchangesInBranchesAreCompiledWhereTheNamedLanesAreThere) {
  const Ran ran = run_body(R"(
    setp.gt.u32 %p0, %r0, 31;
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r0, 5;
    vote.sync.ballot.b32 %r4, %p1, 0xffffffff;
    @%p0 bra OUT;
    shfl.sync.down.b32 %r2, %r0, 1, 31, 0xffffffff;
    @!%p1 bra OUT;
    redux.sync.add.u32 %r3, %r0, %r4;
    shfl.sync.down.b32 %r5, %r3, 1, 31, %r4;
    add.u32 %r2, %r2, %r5;
  OUT:
    st.global.u32 [%rd2], %r2;
    ret;)",
                           64);
  EXPECT_TRUE(ran.both.compiled);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(ran.out[i], i > 31 ? 0 : std::min(i + 1, 31u) + (i < 5 ? 10 : 0)) << i;
}

TEST_F(Meeting, BranchesOfWholeWarpsNeverNeedTheInterpreter) {
  const auto may_need = [](const std::string& condition) {
    TestMachine machine(kernel_text(kLane + condition + R"(
      @%p0 bra OUT;
      shfl.sync.down.b32 %r2, %r0, 1, 31, 0xffffffff;
      st.global.u32 [%rd2], %r2;
    OUT:
      st.shared.u32 [%r31], %r0;
      ret;)"));
    const uint64_t out = machine.put(std::vector<uint32_t>(64), "out");
    const auto engine = jit::Engine::create(
        machine.image(), {.kernel = "k", .block = {64, 1, 1}, .params = TestMachine::pack(out)},
        jit::shared_code_cache({}));
    return !engine || (*engine)->may_need_interpreter();
  };
  EXPECT_FALSE(may_need("setp.gt.u32 %p0, %r0, 31;"));
  EXPECT_FALSE(may_need("setp.ge.u32 %p0, %r0, 32;"));
  EXPECT_FALSE(may_need("shr.u32 %r1, %r0, 5; setp.ne.u32 %p0, %r1, 0;"));
  EXPECT_FALSE(may_need("and.b32 %r1, %r0, -32; setp.eq.u32 %p0, %r1, 32;"));
  EXPECT_TRUE(may_need("setp.gt.u32 %p0, %r0, 30;"));
  EXPECT_TRUE(may_need("shr.u32 %r1, %r0, 4; setp.ne.u32 %p0, %r1, 0;"));
  EXPECT_TRUE(may_need("and.b32 %r1, %r0, 1; setp.ne.u32 %p0, %r1, 0;"));
  EXPECT_TRUE(may_need("ld.global.u32 %r1, [%rd2]; setp.gt.u32 %p0, %r1, 31;"));
}

}  // namespace
}  // namespace warpledger::exec
