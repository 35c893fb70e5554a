// What textures and surfaces show in the trace: the texels that each lane touches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <regex>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/decode/texel_layout.h"
#include "warpledger/exec/decode/texture.h"

namespace warpledger::exec {
namespace {

using testing::Rng;

constexpr const char* kRegisters =
    ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r0, %tid.x;\n";

/// One warp over a texture of floats; the second parameter is another texture of the same kind.
struct Bench {
  Bench(const std::string& body, uint32_t dimensions, uint32_t width, uint32_t height = 1)
      : machine(kernel_text(kRegisters + body + "ret;", 2), "texture.ptx") {
    texture.dimensions = static_cast<uint8_t>(dimensions);
    texture.base = packed_box(0, width, height, 1, texture.format);
  }
  uint64_t put_texture(Texture one) {
    one.base.address = machine.put(std::vector<float>(bytes_of(one) / 4 + 1, 1.0f));
    texture.base.address = one.base.address;
    const TextureBytes record = encode(one);
    return machine.put(std::vector<std::byte>(record.begin(), record.end()));
  }
  /// The records of that space, without their instruction.
  std::vector<std::string> run(const std::string& space) {
    const uint64_t second = put_texture(texture), first = put_texture(texture);
    const Launch launch{
        .kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(first, second)};
    EXPECT_EQ(machine.run(launch), "");
    EXPECT_TRUE(machine.trace_faults(launch).empty());
    std::vector<std::string> found;
    const std::regex line("  i\\d+ (\\w+\\." + space + " [^\n]*)");
    for (std::sregex_iterator at(machine.trace.begin(), machine.trace.end(), line), end; at != end;
         ++at)
      found.push_back((*at)[1]);
    return found;
  }
  /// "load.texture 4B mask: places" of the texels by lanes.
  [[nodiscard]] std::string expected(
      const char* what, uint32_t mask,
      const std::vector<std::pair<uint64_t, uint64_t>>& texels) const {
    std::string text = fmt::format("{} 4B {:08x}:", what, mask);
    for (const auto& [x, y] : texels)
      text += fmt::format(" {:x}", texel_place(texture, texture.base, 4 * x, y, 0));
    return text;
  }
  TestMachine machine;
  Texture texture;
};

TEST(TextureTrace, ALinearTextureIsReadAtItsAddresses) {
  Bench bench("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r0}];\n", 1, 64);
  const auto found = bench.run("texture");
  std::vector<std::pair<uint64_t, uint64_t>> texels;
  for (uint64_t lane = 0; lane < 32; ++lane) texels.emplace_back(lane, 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], bench.expected("load.texture", 0xFFFFFFFF, texels));
}

TEST(TextureTrace, LanesOutsideTouchNothing) {
  Bench bench("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r0}];\n", 1, 2);
  const auto found = bench.run("texture");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], bench.expected("load.texture", 0xFFFFFFFF, {{0, 0}, {1, 0}}));
}

TEST(TextureTrace, LinearFilteringTouchesItsCornersOnce) {
  // Halfway between four texels; one lane alone.
  Bench bench(
      "setp.eq.u32 %p1, %r0, 3; @%p1 tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, "
      "[%rd1, {0f40A00000, 0f40400000}];\n",
      2, 16, 16);
  bench.texture.filter = TextureFilter::kLinear;
  bench.texture.is_array = true;
  const auto found = bench.run("texture");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], bench.expected("load.texture", 8, {{4, 2}, {5, 2}, {4, 3}, {5, 3}}));
}

TEST(TextureTrace, AGatherTouchesFourTexels) {
  Bench bench(
      "setp.eq.u32 %p1, %r0, 0; @%p1 tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, "
      "[%rd1, {0f40A00000, 0f40400000}];\n",
      2, 16, 16);
  const auto found = bench.run("texture");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], bench.expected("load.texture", 1, {{4, 3}, {5, 3}, {5, 2}, {4, 2}}));
}

TEST(TextureTrace, EachHandleIsARequest) {
  Bench bench(
      "setp.lt.u32 %p1, %r0, 8; selp.b64 %rd3, %rd1, %rd2, %p1;\n"
      "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd3, {%r0}];\n",
      1, 64);
  const auto found = bench.run("texture");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].find(" 000000ff:"), std::string::npos);
  EXPECT_NE(found[1].find(" ffffff00:"), std::string::npos);
}

TEST(TextureTrace, AFetchThatIsOffInAllLanesIsRecordedWithoutLanes) {
  Bench bench(
      "setp.eq.u32 %p1, %r0, 99; @%p1 tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r0}];\n", 1,
      64);
  const auto found = bench.run("texture");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find(" 00000000:"), std::string::npos);
}

TEST(TextureTrace, SurfacesAreReadAndWrittenWhereArraysLie) {
  Bench bench(
      "shl.b32 %r1, %r0, 2; mov.u32 %r2, 1;\n"
      "suld.b.2d.b32.trap {%r3}, [%rd1, {%r1, %r2}];\n"
      "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r3};\n",
      2, 32, 8);
  bench.texture.is_surface = bench.texture.is_array = true;
  const auto found = bench.run("surface");
  std::vector<std::pair<uint64_t, uint64_t>> texels;
  for (uint64_t lane = 0; lane < 32; ++lane) texels.emplace_back(lane, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], bench.expected("load.surface", 0xFFFFFFFF, texels));
  EXPECT_EQ(found[1], bench.expected("store.surface", 0xFFFFFFFF, texels));
}

// Wherever lanes point: the texels recorded are those that the formulas of CUDA's guide name.
LAW(TextureTrace, PointSamplingTouchesTheTexelUnderEachLane) {
  const auto a = static_cast<uint32_t>(rng.between(0, 7));
  const auto b = static_cast<uint32_t>(rng.between(0, 7));
  Bench bench(fmt::format("mul.lo.u32 %r1, %r0, {}; and.b32 %r1, %r1, 31;\n"
                          "mul.lo.u32 %r2, %r0, {}; and.b32 %r2, %r2, 15;\n"
                          "cvt.rn.f32.u32 %f4, %r1; cvt.rn.f32.u32 %f5, %r2;\n"
                          "tex.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%rd1, {{%f4, %f5}}];\n",
                          a, b),
              2, 32, 16);
  bench.texture.is_array = rng.coin();
  const auto found = bench.run("texture");
  std::vector<std::pair<uint64_t, uint64_t>> texels;
  for (uint32_t lane = 0; lane < 32; ++lane) texels.emplace_back(lane * a & 31, lane * b & 15);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], bench.expected("load.texture", 0xFFFFFFFF, texels));
}

}  // namespace
}  // namespace warpledger::exec
