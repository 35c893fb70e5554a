// Launches of what ptxas makes of a PTX text leave what the PTX leaves.
#include <gmock/gmock.h>

#include <cstring>

#include "tests/system/sass_toolkit/launch.h"
#include "warpledger/exec/run/engine.h"

namespace warpledger::sass {
namespace {

constexpr size_t kWords = 32;
using Words = std::vector<uint32_t>;

/// What a warp of the kernel "k" writes to the 32 words that its last parameter points to.
Words run(const std::string& text, std::vector<std::byte> parameters, exec::EngineChoice engine) {
  const auto module = ptx::parse("k.ptx", text);
  EXPECT_TRUE(module.ok()) << to_text(module.error());
  exec::DeviceMemory memory;
  auto image = exec::Image::load(*module, memory);
  const uint64_t words = *memory.allocate(kWords * sizeof(uint32_t), "words");
  parameters.resize(parameters.size() + sizeof words);
  std::memcpy(&parameters[parameters.size() - sizeof words], &words, sizeof words);
  const exec::Launch launch{
      .kernel = "k", .grid = {1, 1, 1}, .block = {kWords, 1, 1}, .params = parameters};
  trace::NoSink nobody;
  const auto done = exec::run_launch(*image, launch, nobody,
                                     {.engine = engine, .record = false, .architecture = "sm_80"});
  EXPECT_TRUE(done.ok() && !done->fault)
      << to_text(done.ok() ? done->fault.value_or(Diagnostic{}) : done.error());
  Words left(kWords);
  std::memcpy(left.data(), memory.find(words, kWords * sizeof(uint32_t)),
              kWords * sizeof(uint32_t));
  return left;
}

void expect_same(const std::string& text, const std::vector<std::byte>& parameters) {
  EXPECT_EQ(run(text, parameters, exec::EngineChoice::kMachine),
            run(text, parameters, exec::EngineChoice::kReference));
}

constexpr const char* kHead = R"(.version 8.1
.target sm_80
.address_size 64
)";

TEST(MachineLaunch, ParametersOfMoreThanFourKilobytes) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  std::vector<std::byte> parameters(8192);
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = static_cast<std::byte>(i * 37 % 251);
  expect_same(
      std::string(kHead) + R"(.visible .entry k(.param .align 8 .b8 p[8192], .param .b64 out)
{
  .reg .b32 %a<6>; .reg .b64 %d<4>;
  mov.u32 %a1, %tid.x; ld.param.b64 %d1, [out]; ld.param.b32 %a2, [p+4]; ld.param.b32 %a3, [p+8188];
  add.u32 %a4, %a2, %a3; add.u32 %a4, %a4, %a1; mul.wide.u32 %d2, %a1, 4; add.u64 %d3, %d1, %d2;
  st.global.b32 [%d3], %a4;
  ret;
}
)",
      parameters);
}

/// The masks are in a register: ptxas looks whether all lanes have the same, and that these are
/// here.
constexpr const char* kVote = R"(
  setp.ne.u32 %p1, %a2, 0;
  vote.sync.ballot.b32 %a4, %p1, %a3;
  mul.wide.u32 %d2, %a1, 4; add.u64 %d3, %d1, %d2;
  st.global.b32 [%d3], %a4;
  ret;
}
)";
constexpr const char* kVoter = R"(.visible .entry k(.param .b64 out)
{
  .reg .b32 %a<8>; .reg .b64 %d<4>; .reg .pred %p<4>;
  mov.u32 %a1, %tid.x; ld.param.b64 %d1, [out]; and.b32 %a2, %a1, 1;
)";

TEST(MachineLaunch, LanesTogetherVoteInTwoGroups) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  expect_same(std::string(kHead) + kVoter +
                  "  setp.lt.u32 %p2, %a1, 16; selp.b32 %a3, 0xffff, 0xffff0000, %p2;\n" + kVote,
              {});
}

TEST(MachineLaunch, LanesTogetherVoteInOneGroup) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  expect_same(std::string(kHead) + kVoter + "  activemask.b32 %a3;\n" + kVote, {});
}

}  // namespace
}  // namespace warpledger::sass
