// Textures and surfaces by both engines: the same texels, records and counts, on any number of
// threads.
#include "warpledger/exec/decode/texture.h"

#include <gtest/gtest.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

constexpr const char* kBody = R"(
  .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
  cvt.rn.f32.u32 %f4, %r0; cvt.rn.f32.u32 %f5, %r1;
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];
  setp.lt.u32 %p1, %r0, 40;
  @%p1 tld4.r.2d.v4.f32.f32 {%f6, %f7, %f8, %f9}, [%rd1, {%f4, %f5}];
  @%p1 add.f32 %f0, %f0, %f6;
  setp.gt.u32 %p2, %r0, 99;
  @%p2 tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];
  shl.b32 %r2, %r0, 2; mov.b32 %r3, %f0;
  sust.b.2d.b32.zero [%rd2, {%r2, %r1}], {%r3};
  suld.b.2d.b32.zero {%r4}, [%rd2, {%r2, %r1}];
  mad.lo.u32 %r5, %r1, 64, %r0;
  mad.wide.u32 %rd4, %r5, 4, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
)";
constexpr uint32_t kThreads = 64, kBlocks = 8;

uint64_t put(TestMachine& machine, Texture texture) {
  std::vector<float> texels(bytes_of(texture) / 4);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i % 97);
  texture.base.address = machine.put(texels);
  const TextureBytes record = encode(texture);
  return machine.put(std::vector<std::byte>(record.begin(), record.end()));
}

class TextureEngines : public ::testing::TestWithParam<bool> {};

TEST_P(TextureEngines, AgreeOnTexelsRecordsAndThreads) {
  if (!can_compile()) GTEST_SKIP() << "no compiler";
  TestMachine machine(kernel_text(kBody, 3), "texture.ptx");
  Texture texture{.dimensions = 2, .is_array = GetParam(), .filter = TextureFilter::kLinear};
  texture.base = packed_box(0, kThreads, kBlocks, 1, texture.format);
  Texture surface{.dimensions = 2, .is_array = GetParam(), .is_surface = true};
  surface.base = packed_box(0, kThreads - 8, kBlocks, 1, surface.format);
  const uint64_t read = put(machine, texture), written = put(machine, surface);
  const uint64_t out = machine.put(std::vector<uint32_t>(kThreads * kBlocks));
  const Launch launch{.kernel = "k",
                      .grid = {kBlocks, 1, 1},
                      .block = {kThreads, 1, 1},
                      .params = TestMachine::pack(read, written, out)};
  const Comparison both = compare_engines(machine.image(), launch, {}, 4);
  EXPECT_EQ(both.error, "");
  EXPECT_TRUE(both.compiled);
  EXPECT_EQ(both.difference.substr(0, 2000), "");
  EXPECT_NE(both.trace.find("load.texture"), std::string::npos);
  EXPECT_NE(both.trace.find("store.surface"), std::string::npos);
  for (const uint32_t threads : {1u, 3u}) {
    const JitRun run = run_jit(machine.image(), launch, {}, 4, true, threads);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.trace, both.trace) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, TextureEngines, ::testing::Bool());

}  // namespace
}  // namespace warpledger::exec
