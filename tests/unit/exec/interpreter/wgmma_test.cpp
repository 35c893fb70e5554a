// wgmma of every type and several layouts against plain products of small integers, exactly.
#include <gmock/gmock.h>

#include "tests/unit/exec/semantics/tensor_tiles.h"

namespace warpledger::exec {
namespace {

using ptx::Type;

constexpr uint32_t kBytes = 16384;

struct Case {
  std::string name, types, constants;
  Type type;
  uint32_t k;
  uint32_t n;
  TileLayout a, b;
};

uint64_t bits_of(const TileLayout& layout, uint32_t start) {
  return *encode(descriptor_of(layout, start), DescriptorKind::kWgmma);
}

/// `then`: what follows the wait.
std::string kernel_of(const Case& c, uint32_t registers, const std::string& then) {
  const std::string d = register_list("d", registers);
  std::string text =
      copy_in(kBytes) + ".reg .b32 d<" + std::to_string(registers) + ">;\n.reg .b64 x, y;\n";
  for (uint32_t i = 0; i < registers; ++i) text += "mov.b32 d" + std::to_string(i) + ", 0;\n";
  // Where `tile` lies: in machine code, shared memory does not begin at 0.
  text += "mov.u32 b, tile;\nshr.u32 b, b, 4;\ncvt.u64.u32 x, b;\nadd.u64 y, x, " +
          std::to_string(bits_of(c.b, 16384)) + ";\nadd.u64 x, x, " +
          std::to_string(bits_of(c.a, 0)) + ";\nwgmma.fence.sync.aligned;\n";
  text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(c.k) +
          c.types + " " + d + ", x, y, 1" + c.constants + ";\n";
  text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + then;
  return kernel_text(text + copy_out("d", registers) + "ret;", 3, "sm_90a", "8.4");
}

double value_of(const std::string& types, uint32_t bits) {
  if (types.find("s32") != std::string::npos) return static_cast<int32_t>(bits);
  return std::bit_cast<float>(bits);
}

class Wgmma : public ::testing::TestWithParam<Case> {};

void expect_product(const Case& c, const std::string& then = "") {
  const uint32_t registers = c.n / 2;
  const SmallMatrix a(64, c.k, 1, 3), b(c.n, c.k, 2, 3);
  TestMachine machine(kernel_of(c, registers, then));
  const uint64_t pa = machine.put(image_of(a, c.a, kBytes)),
                 pb = machine.put(image_of(b, c.b, kBytes)),
                 out = machine.put(std::vector<uint32_t>(128 * registers));
  ASSERT_EQ(
      machine.run({.kernel = "k", .block = {128, 1, 1}, .params = TestMachine::pack(pa, pb, out)}),
      "");
  const auto got = machine.get<uint32_t>(out, 128 * registers);
  for (uint32_t thread = 0; thread < 128; ++thread) {
    for (uint32_t i = 0; i < registers; ++i) {
      const uint32_t lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (i / 2 % 2);
      const uint32_t column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      ASSERT_EQ(value_of(c.types, got[thread * registers + i]), product_at(a, b, row, column))
          << row << ' ' << column;
    }
  }
}

TEST_P(Wgmma, EqualsThePlainProduct) { expect_product(GetParam()); }

// The first thread writes over B as soon as it has waited: the product is the warpgroup's, so the
// other warps have read it too.
TEST_P(Wgmma, AWarpThatHasWaitedSpeaksForItsWarpgroup) {
  expect_product(GetParam(), "@first st.shared.b32 [a], 0x7fff7fff;\n");
}

TileLayout tile(Type type, SharedMode mode, uint32_t per_chunk, bool mn_major = false) {
  return {type, mode, mn_major, per_chunk};
}
Case same(std::string name, std::string types, std::string constants, Type type, uint32_t k,
          uint32_t n, SharedMode mode) {
  const TileLayout both = tile(type, mode, k / 2);
  return {std::move(name), std::move(types), std::move(constants), type, k, n, both, both};
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Wgmma,
    ::testing::Values(
        same("f16", ".f32.f16.f16", ", 1, 1, 0, 0", Type::kF16, 16, 32, SharedMode::k128),
        same("f16none", ".f32.f16.f16", ", 1, 1, 0, 0", Type::kF16, 16, 16, SharedMode::kNone),
        same("bf16", ".f32.bf16.bf16", ", 1, 1, 0, 0", Type::kBf16, 16, 24, SharedMode::k32),
        same("tf32", ".f32.tf32.tf32", ", 1, 1", Type::kTf32, 8, 16, SharedMode::k64),
        same("e4m3", ".f32.e4m3.e4m3", ", 1, 1", Type::kE4m3, 32, 16, SharedMode::k128),
        same("s8", ".s32.s8.s8", "", Type::kS8, 32, 16, SharedMode::k128),
        Case{"turned", ".f32.f16.f16", ", 1, 1, 1, 1", Type::kF16, 16, 64,
             tile(Type::kF16, SharedMode::k128, 8, true),
             tile(Type::kF16, SharedMode::k128, 8, true)}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace warpledger::exec
