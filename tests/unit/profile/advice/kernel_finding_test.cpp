// Findings of small kernels that were run: the lines, causes and numbers that an expert would name.
#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// if (tid % (2 * s) == 0) sum[tid] += sum[tid + s]; as nvcc compiles it.
constexpr const char* kReduceModulo = R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "reduce.cu"
.visible .entry reduce(.param .u64 reduce_input, .param .u64 reduce_output)
{
  .reg .pred %p<5>;
  .reg .f32 %f<6>;
  .reg .b32 %r<15>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b8 sum[1024];
  ld.param.u64 %rd2, [reduce_input];
  ld.param.u64 %rd1, [reduce_output];
  .loc 1 4 3
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r7, %r2, %r1, %r3;
  mul.wide.u32 %rd4, %r7, 4;
  add.s64 %rd5, %rd2, %rd4;
  ld.global.f32 %f1, [%rd5];
  shl.b32 %r8, %r3, 2;
  mov.u32 %r9, sum;
  add.s32 %r4, %r9, %r8;
  st.shared.f32 [%r4], %f1;
  bar.sync 0;
  mov.u32 %r14, 1;
LOOP:
  .loc 1 7 5
  shl.b32 %r6, %r14, 1;
  rem.s32 %r11, %r3, %r6;
  setp.ne.s32 %p2, %r11, 0;
  @%p2 bra SKIP;
  .loc 1 8 7
  shl.b32 %r12, %r14, 2;
  add.s32 %r13, %r4, %r12;
  ld.shared.f32 %f2, [%r4];
  ld.shared.f32 %f3, [%r13];
  add.f32 %f4, %f3, %f2;
  st.shared.f32 [%r4], %f4;
SKIP:
  .loc 1 10 5
  bar.sync 0;
  .loc 1 6 3
  setp.lt.u32 %p3, %r6, %r1;
  mov.u32 %r14, %r6;
  @%p3 bra LOOP;
  .loc 1 12 3
  setp.ne.s32 %p4, %r3, 0;
  @%p4 bra DONE;
  ld.shared.f32 %f5, [sum];
  mul.wide.u32 %rd7, %r2, 4;
  add.s64 %rd8, %rd1, %rd7;
  st.global.f32 [%rd8], %f5;
DONE:
  ret;
}
)";

/// for (j...) x[i] += A[j * n + i];
constexpr const char* kSumInMemory = R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "mvt.cu"
.visible .entry mvt(.param .u64 mvt_A, .param .u64 mvt_x, .param .u32 mvt_n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [mvt_A];
  ld.param.u64 %rd1, [mvt_x];
  ld.param.u32 %r0, [mvt_n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  mul.wide.u32 %rd5, %r0, 4;
  mov.u32 %r5, 0;
LOOP:
  .loc 1 5 5
  ld.global.f32 %f0, [%rd3];
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%rd4], %f2;
  .loc 1 4 3
  add.s64 %rd3, %rd3, %rd5;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p0, %r5, %r0;
  @%p0 bra LOOP;
  ret;
}
)";

/// out[i] = in[i + 1], from 64 floats of a row on; and every eighth element of it.
std::string copy_kernel(const std::string& address_of_lane) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "copy.cu"
.visible .entry copy(.param .u64 copy_in, .param .u64 copy_out)
{
  .reg .f32 %f<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [copy_in];
  ld.param.u64 %rd1, [copy_out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
)" + address_of_lane +
         R"(
  add.s64 %rd3, %rd0, %rd2;
  .loc 1 3 5
  ld.global.f32 %f1, [%rd3];
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  .loc 1 4 5
  st.global.f32 [%rd5], %f1;
  ret;
}
)";
}

struct Shape {
  exec::Extent grid = {1, 1, 1}, block = {128, 1, 1};
  std::string kernel = {};
};

Profile profile_of(const std::string& text, const Shape& shape,
                   const std::vector<std::string>& arguments) {
  const Result<ptx::Module> module = ptx::parse("k.ptx", text);
  EXPECT_TRUE(module.ok()) << module.error().message;
  Request request{.module = *module, .file = "k.ptx"};
  request.gpu = testing::gpu_named("rtx3090");
  request.gpu_request = "rtx3090";
  request.kernel = shape.kernel;
  request.grid = shape.grid;
  request.block = shape.block;
  for (const std::string& argument : arguments) {
    const int number = static_cast<int>(request.arguments.size()) + 1;
    request.arguments.push_back(*exec::parse_argument(argument, number));
  }
  request.registers = 16;
  request.sass = false;
  request.engine.engine = exec::EngineChoice::kReference;
  const Result<Profile> profile = run(request);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? *profile : testing::plain_profile();
}

const Finding* with_code(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

TEST(KernelFindings, AReductionWithModuloDivergesAndDivides) {
  const Profile profile =
      profile_of(kReduceModulo, {{820, 1, 1}, {256, 1, 1}}, {"f32[209920]", "f32[820]"});
  const std::vector<Finding> findings = find(profile);
  const Finding* branch = with_code(findings, "divergence");
  ASSERT_NE(branch, nullptr) << to_text(findings);
  EXPECT_EQ(to_text(branch->where), "reduce.cu:7");
  EXPECT_THAT(branch->remedy, HasSubstr("contiguous"));
  const Finding* modulo = with_code(findings, "integer-division");
  ASSERT_NE(modulo, nullptr) << to_text(findings);
  EXPECT_EQ(to_text(modulo->where), "reduce.cu:7");
  EXPECT_THAT(modulo->title, HasSubstr("modulo"));
  EXPECT_EQ(with_code(findings, "partial-writes"), nullptr);
}

TEST(KernelFindings, TheGuardOfABodyIsItsBranchAndNotTheLoop) {
  const Profile profile = profile_of(kReduceModulo, {{1, 1, 1}, {64, 1, 1}}, {"f32[64]", "f32[1]"});
  for (const CodeLine& line : profile.code) {
    if (to_text(line.source) != "reduce.cu:8") continue;
    ASSERT_LT(line.guard, profile.code.size());
    EXPECT_THAT(profile.code[line.guard].text, HasSubstr("%p2"));
    EXPECT_FALSE(line.guard_is_loop);
  }
}

/// for (i = 0; i < limit; ++i) value = value * value + value, in the lanes that pass the test.
std::string loop_kernel(const std::string& test, const std::string& limit) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "loop.cu"
.visible .entry loop(.param .u64 loop_out)
{
  .reg .pred %p<3>;
  .reg .f32 %f<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [loop_out];
  mov.u32 %r1, %tid.x;
  mov.f32 %f0, 0f3F800000;
  .loc 1 3 3
)" + test +
         R"(
  mov.u32 %r2, 0;
LOOP:
  .loc 1 5 5
  fma.rn.f32 %f0, %f0, %f0, %f0;
  fma.rn.f32 %f0, %f0, %f0, %f0;
  add.u32 %r2, %r2, 1;
  .loc 1 4 3
  setp.lt.u32 %p1, %r2, )" +
         limit + R"(;
  @%p1 bra LOOP;
DONE:
  .loc 1 7 3
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd2, %rd0, %rd1;
  st.global.f32 [%rd2], %f0;
  ret;
}
)";
}

/// The guard of the loop's body; the number of instructions when it has none.
std::pair<std::string, bool> guard_of_body(const std::string& test, const std::string& limit) {
  const Profile profile =
      profile_of(loop_kernel(test, limit), {{1, 1, 1}, {64, 1, 1}}, {"f32[64]"});
  for (const CodeLine& line : profile.code) {
    if (to_text(line.source) != "loop.cu:5") continue;
    if (line.guard >= profile.code.size()) return {"", false};
    return {to_text(profile.code[line.guard].source), line.guard_is_loop};
  }
  return {};
}

TEST(KernelFindings, LanesThatLeaveALoopEarlyAreGuardedByIt) {
  EXPECT_EQ(guard_of_body("", "%r1"), std::pair(std::string("loop.cu:4"), true));
}

TEST(KernelFindings, ALoopThatFewLanesEnterIsGuardedByTheTestBeforeIt) {
  const std::string test = "setp.ne.u32 %p0, %r1, 0;\n  @%p0 bra DONE;";
  EXPECT_EQ(guard_of_body(test, "100"), std::pair(std::string("loop.cu:3"), false));
}

TEST(KernelFindings, ALoopOfWholeWarpsHasNoGuard) { EXPECT_EQ(guard_of_body("", "100").first, ""); }

TEST(KernelFindings, ASumThatIsKeptInMemoryBelongsInARegister) {
  const Profile profile =
      profile_of(kSumInMemory, {{4, 1, 1}, {128, 1, 1}}, {"f32[32768]", "f32[512]", "i32:64"});
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "memory-accumulator");
  ASSERT_NE(finding, nullptr) << to_text(findings);
  EXPECT_EQ(to_text(finding->where), "mvt.cu:5");
  EXPECT_THAT(finding->title, HasSubstr("x is loaded and stored in every iteration"));
  EXPECT_THAT(finding->because[0], HasSubstr("64 times"));
}

TEST(KernelFindings, AShiftedRowIsNotAStridedOne) {
  const Profile shifted =
      profile_of(copy_kernel("mul.wide.u32 %rd2, %r4, 4;\n  add.s64 %rd2, %rd2, 4;"),
                 {{4096, 1, 1}, {128, 1, 1}}, {"f32[524289]", "f32[524288]"});
  const Profile strided = profile_of(copy_kernel("mul.wide.u32 %rd2, %r4, 32;"),
                                     {{512, 1, 1}, {128, 1, 1}}, {"f32[524288]", "f32[65536]"});
  ASSERT_EQ(shifted.instructions.size(), 2u);
  EXPECT_EQ(shifted.instructions[0].run_bytes, 128);
  EXPECT_EQ(strided.instructions[0].run_bytes, 4);
  EXPECT_EQ(with_code(find(shifted), "uncoalesced"), nullptr);
  EXPECT_NE(with_code(find(strided), "uncoalesced"), nullptr) << to_text(find(strided));
}

TEST(KernelFindings, AStreamFarBelowTheRoofSaysWhatLimitsIt) {
  const std::string copy = copy_kernel("mul.wide.u32 %rd2, %r4, 4;");
  const auto first = [&](uint32_t blocks) {
    const std::string array = "f32[" + std::to_string(128 * blocks) + "]";
    const std::vector<Finding> findings =
        find(profile_of(copy, {{blocks, 1, 1}, {128, 1, 1}}, {array, array}));
    EXPECT_FALSE(findings.empty());
    return findings.empty() ? Finding{} : findings.front();
  };
  EXPECT_THAT(first(82).title, HasSubstr("The launch is too small"));
  const Finding longer = first(3000);
  EXPECT_TRUE(longer.is_limit);
  EXPECT_THAT(longer.title, HasSubstr("Latency is the limit"));
  EXPECT_THAT(longer.because[0], HasSubstr("a warp waits once for memory"));
  EXPECT_THAT(longer.because[1], HasSubstr("in flight on average"));
}

// The oracle of a saving: the same kernel with the remedy applied, by the same model of time.
TEST(KernelFindings, TheSavingIsWhatTheRemedySaves) {
  const Result<std::string> text = read_file(test::source_path("examples/tutorial/transpose.ptx"));
  ASSERT_TRUE(text.ok());
  const auto profiled = [&](const char* kernel) {
    return profile_of(*text, {{16, 16, 1}, {32, 8, 1}, kernel},
                      {"in=f32[512x512]", "out=f32[512x512]", "i32:512"});
  };
  const Profile padded = profiled("transpose_padded");
  for (const auto& [kernel, code] : {std::pair("transpose_naive", "uncoalesced"),
                                     std::pair("transpose_shared", "bank-conflicts")}) {
    const Profile wasteful = profiled(kernel);
    const std::vector<Finding> findings = find(wasteful);
    ASSERT_NE(with_code(findings, code), nullptr) << to_text(findings);
    const double saved = 1 - padded.timing->elapsed_cycles / wasteful.timing->elapsed_cycles;
    EXPECT_NEAR(with_code(findings, code)->saving, saved, 0.08) << kernel;
  }
}

TEST(KernelFindings, NumbersAgreeWithTheirNouns) {
  const Profile profile = profile_of(copy_kernel("mul.wide.u32 %rd2, %r4, 4;"),
                                     {{1, 1, 1}, {1, 1, 1}}, {"f32[1]", "f32[1]"});
  EXPECT_THAT(headline(profile)[0], HasSubstr("1 block of 1 thread,"));
  const std::string text = to_text(find(profile));
  EXPECT_THAT(text, Not(HasSubstr("1 lanes")));
  EXPECT_THAT(text, Not(HasSubstr("1 steps")));
  EXPECT_THAT(text, Not(HasSubstr("1 threads")));
  EXPECT_THAT(text, Not(HasSubstr("0.00 waves")));
}

}  // namespace
}  // namespace warpledger::profile
