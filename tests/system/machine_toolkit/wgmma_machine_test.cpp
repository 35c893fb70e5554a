// wgmma of sm_90a: one kernel for each type multiplies with its shapes, one after the other.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/system/machine_toolkit/async_kernels.h"

namespace warpledger::exec {
namespace {

struct ProductCase {
  std::string name, types;  // ".f32.f16.f16"
  std::string constants;    // behind the predicate
  uint32_t k;
  bool is_half = false;                  // D
  bool is_integer = false;               // of which some shapes are missing
  uint64_t layout = 0x4000004000080000;  // of descriptors: 128-byte swizzle, 1,024 bytes a group
  bool transposes = false;               // 16-bit types may
};

std::string list(const std::string& name, uint32_t count) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + name + std::to_string(i);
  return text + "}";
}

bool has_shape(const ProductCase& c, uint32_t n) { return !c.is_integer || n <= 32 || n % 16 == 0; }

/// One product, from descriptors, or with A in registers; its sums are folded into `out`.
std::string product(const ProductCase& c, uint32_t n, bool a_in_registers) {
  const uint32_t registers = n / (c.is_half ? 4 : 2);
  const std::string d = list("d", registers);
  const std::string a = a_in_registers ? "{f0, f1, f2, f3}" : "x";
  std::string constants = c.constants;
  if (c.transposes) constants += a_in_registers ? ", 0" : ", 0, 0";
  std::string text = "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(n) + "k" + std::to_string(c.k) + c.types + " " + d + ", " + a +
                     ", y, 1" + constants + ";\nwgmma.commit_group.sync.aligned;\n" +
                     "wgmma.wait_group.sync.aligned 0;\n";
  for (uint32_t i = 0; i < registers; ++i)
    text += "st.global.b32 [out+" + std::to_string(512 * i) + "], d" + std::to_string(i) + ";\n";
  return text + "add.u64 out, out, " + std::to_string(512 * registers) + ";\n";
}

constexpr uint32_t kRegisters = 128;

/// The tile is filled from `in`; D begins as small numbers.
std::string product_kernel(const ProductCase& c, const std::string& body) {
  std::string text = R"(
  .shared .align 1024 .b8 tile[41472];
  .reg .pred q; .reg .b32 t, a, v, i, f<4>, d<128>; .reg .b64 in, out, x, y, z;
  mov.u32 t, %tid.x;
  mov.u32 a, tile;
  ld.param.u64 in, [p0];
  ld.param.u64 out, [p1];
  shl.b32 v, t, 2;
  add.u32 v, a, v;
  mul.wide.u32 x, t, 4;
  add.u64 in, in, x;
  add.u64 out, out, x;
  mov.u32 i, 0;
COPY:
  ld.global.b32 f0, [in];
  st.shared.b32 [v], f0;
  add.u64 in, in, 512;
  add.u32 v, v, 512;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, 80;
  @q bra COPY;
  ld.global.b32 f1, [in+-512];
  ld.global.b32 f2, [in+-1024];
  ld.global.b32 f3, [in+-1536];
  fence.proxy.async;
  bar.sync 0;
  shr.u32 v, a, 4;
  cvt.u64.u32 x, v;
  or.b64 x, x, )" + fmt::format("{:#x}", c.layout) +
                     ";\nadd.u64 y, x, 512;\n";
  for (uint32_t i = 0; i < kRegisters; ++i)
    text += "and.b32 d" + std::to_string(i) + ", f" + std::to_string(i % 4) + ", 0x3f3f3f3f;\n";
  return kernel_text(text + body + "ret;", 2, "sm_90a", "8.6");
}

class HopperProduct : public ::testing::TestWithParam<ProductCase> {};

TEST_P(HopperProduct, LeavesTheMemoryOfItsPtx) {
  const ProductCase& c = GetParam();
  std::string body;
  // All shapes where their spellings are kept (tools/nightly).
  const bool all = std::getenv("WL_MACHINE_SPELLINGS") != nullptr;
  for (uint32_t n = 8; n <= 256; n += all ? 8 : 88)
    if (has_shape(c, n)) body += product(c, n, false);
  expect_equal(product_kernel(c, body), {.block = {128, 1, 1}}, 600'000);
}

TEST_P(HopperProduct, TakesItsFirstOperandFromRegisters) {
  const ProductCase& c = GetParam();
  expect_equal(product_kernel(c, product(c, 16, true) + product(c, 64, true)),
               {.block = {128, 1, 1}}, 20'000);
}

ProductCase floats(std::string name, std::string types, uint32_t k, bool is_half = false) {
  const bool is_16 = k == 16;
  return {.name = std::move(name),
          .types = std::move(types),
          .constants = ", 1, 1",
          .k = k,
          .is_half = is_half,
          .transposes = is_16};
}
ProductCase integers(std::string name, std::string types, uint32_t k = 32) {
  return {.name = std::move(name), .types = std::move(types), .k = k, .is_integer = true};
}

INSTANTIATE_TEST_SUITE_P(
    Types, HopperProduct,
    ::testing::Values(
        floats("f16", ".f32.f16.f16", 16), floats("bf16", ".f32.bf16.bf16", 16),
        floats("half_f16", ".f16.f16.f16", 16, true), floats("tf32", ".f32.tf32.tf32", 8),
        floats("e4m3", ".f32.e4m3.e4m3", 32), floats("e5m2", ".f32.e5m2.e5m2", 32),
        floats("e4m3_e5m2", ".f32.e4m3.e5m2", 32), floats("e5m2_e4m3", ".f32.e5m2.e4m3", 32),
        floats("half_e4m3", ".f16.e4m3.e4m3", 32, true), integers("s8", ".s32.s8.s8"),
        integers("u8", ".s32.u8.u8"), integers("s8_u8", ".s32.s8.u8"),
        integers("s8_sat", ".s32.s8.s8.satfinite"), integers("b1", ".s32.b1.b1.and.popc", 256)),
    [](const auto& one) { return one.param.name; });

const ProductCase kHalf = floats("f16", ".f32.f16.f16", 16);

TEST(HopperMachine, MultipliesWithSignsTransposesAndPredicates) {
  std::string body = "setp.eq.u64 q, in, 0;\n";
  const std::string d = list("d", 16);
  const auto add = [&](const std::string& types, const std::string& operands) {
    body += "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n32k16" + types + " " + d +
            ", " + operands +
            ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    for (int i = 0; i < 16; ++i)
      body += "st.global.b32 [out+" + std::to_string(512 * i) + "], d" + std::to_string(i) + ";\n";
    body += "add.u64 out, out, 8192;\n";
  };
  add(".f32.f16.f16", "x, y, 0, 1, 1, 0, 0");
  add(".f32.f16.f16", "x, y, 1, -1, 1, 1, 0");
  add(".f32.bf16.bf16", "x, y, q, 1, -1, 0, 1");
  add(".f32.bf16.bf16", "x, y, 1, -1, -1, 1, 1");
  add(".f32.f16.f16", "{f0, f1, f2, f3}, y, 1, -1, 1, 0");
  add(".f32.f16.f16", "{f0, f1, f2, f3}, y, q, 1, -1, 1");
  expect_equal(product_kernel(kHalf, body), {.block = {128, 1, 1}}, 20'000);
}

class HopperLayout : public ::testing::TestWithParam<uint64_t> {};

TEST_P(HopperLayout, LeavesTheMemoryOfItsPtx) {
  ProductCase c = kHalf;
  c.layout = GetParam();
  expect_equal(product_kernel(c, product(c, 64, false) + product(c, 128, true)),
               {.block = {128, 1, 1}}, 70'000);
}

INSTANTIATE_TEST_SUITE_P(Swizzles, HopperLayout,
                         ::testing::Values(0x4000004000010000, 0x8000002000010000,
                                           0xc000001000010000, 0x0000001000080000));

// Chained products in two groups, of two warpgroups; the last is waited for.
TEST(HopperMachine, KeepsGroupsOfProductsApart) {
  const std::string d = list("d", 16);
  const auto mma = [&](const std::string& first) {
    std::string registers = d;
    if (first == "e") {
      registers = "{";
      for (int i = 16; i < 32; ++i) registers += (i == 16 ? "d" : ", d") + std::to_string(i);
      registers += "}";
    }
    return "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " + registers +
           ", x, y, 1, 1, 1, 0, 0;\n";
  };
  std::string body = "wgmma.fence.sync.aligned;\n" + mma("d") + mma("d") +
                     "wgmma.commit_group.sync.aligned;\n" + mma("e") +
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n";
  for (int i = 0; i < 16; ++i)
    body += "st.global.b32 [out+" + std::to_string(1024 * i) + "], d" + std::to_string(i) + ";\n";
  body += "wgmma.wait_group.sync.aligned 0;\n";
  for (int i = 16; i < 32; ++i)
    body += "st.global.b32 [out+" + std::to_string(1024 * i) + "], d" + std::to_string(i) + ";\n";
  expect_equal(product_kernel(kHalf, body), {.block = {256, 1, 1}}, 20'000);
}

}  // namespace
}  // namespace warpledger::exec
