// tcgen05.mma of sm_100a: every kind, and what modifies it. Operands are words of the input,
// whatever numbers they are: both engines compute the same.
#include "tests/system/machine_toolkit/tensor_memory_kernels.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kF32 = 1U << 4;

/// m and n of an instruction descriptor; of a kind with block scales.
uint32_t size(uint32_t m, uint32_t n) { return n / 8 << 17 | m / 16 << 24; }
uint32_t scaled_size(uint32_t m, uint32_t n) { return n / 8 << 17 | m / 128 << 27; }

struct ProductCase {
  std::string name, spelling;  // "mma.cta_group::1.kind::f16"
  uint32_t descriptor;
  bool is_scaled = false;
};

/// Columns: D from 0, A from 128, the scales of A from 256, of B from 264.
std::string fill_all() {
  return fill_cells(0, 128) + fill_cells(128, 64, 7) + fill_cells(256, 32, 17);
}

/// A product `a`, y into D; `rest`: what follows the instruction descriptor.
std::string product(const ProductCase& c, const std::string& a, const std::string& rest) {
  return "mov.b32 i, " + std::to_string(c.descriptor) + ";\nadd.u32 c, base, 128;\n" +
         "add.u32 d, base, 256;\nadd.u32 f, base, 264;\nsetp.eq.u32 p, base, 77;\n@first tcgen05." +
         c.spelling + " [base], " + a + ", y, i, " + (c.is_scaled ? "[d], [f], " : "") + rest +
         ";\n";
}

class TensorProductKind : public ::testing::TestWithParam<ProductCase> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, TensorProductKind,
    ::testing::Values(
        ProductCase{"f16", "mma.cta_group::1.kind::f16", kF32 | size(128, 64)},
        ProductCase{"bf16", "mma.cta_group::1.kind::f16", kF32 | 1U << 7 | 1U << 10 | size(64, 96)},
        ProductCase{"half", "mma.cta_group::1.kind::f16", size(128, 32)},
        ProductCase{"turned", "mma.cta_group::1.kind::f16",
                    kF32 | 3U << 13 | 3U << 15 | size(64, 64)},
        ProductCase{"tf32", "mma.cta_group::1.kind::tf32",
                    kF32 | 2U << 7 | 2U << 10 | size(128, 32)},
        ProductCase{"fp8", "mma.cta_group::1.kind::f8f6f4", kF32 | 1U << 10 | size(128, 64)},
        ProductCase{"fp6", "mma.cta_group::1.kind::f8f6f4",
                    kF32 | 3U << 7 | 4U << 10 | size(128, 64)},
        ProductCase{"i8", "mma.cta_group::1.kind::i8", 2U << 4 | 1U << 7 | size(128, 64)},
        ProductCase{"mxf8", "mma.cta_group::1.kind::mxf8f6f4.block_scale",
                    1U << 23 | scaled_size(128, 64), true},
        ProductCase{"mxf4", "mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X",
                    1U << 23 | 1U << 7 | 1U << 10 | scaled_size(128, 64), true},
        ProductCase{"nvf4_2x", "mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::2X",
                    1U << 23 | 1U << 7 | 1U << 10 | scaled_size(128, 64), true},
        ProductCase{"nvf4_4x", "mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X",
                    1U << 7 | 1U << 10 | scaled_size(128, 64), true},
        ProductCase{"ws_f16", "mma.ws.cta_group::1.kind::f16", kF32 | size(64, 128)},
        ProductCase{"ws_tf32", "mma.ws.cta_group::1.kind::tf32",
                    kF32 | 2U << 7 | 2U << 10 | size(32, 64)},
        ProductCase{"ws_fp8", "mma.ws.cta_group::1.kind::f8f6f4", kF32 | size(128, 64)},
        ProductCase{"ws_i8", "mma.ws.cta_group::1.kind::i8",
                    2U << 4 | 1U << 7 | 1U << 10 | size(64, 64)}),
    [](const auto& one) { return one.param.name; });

TEST_P(TensorProductKind, LeavesTheMemoryOfItsPtx) {
  const ProductCase& c = GetParam();
  expect_tensor_equal(fill_all() + product(c, "x", "p") + commit_and_wait() + show_cells(0, 128) +
                      product(c, "x", "1") + product(c, "x", "1") + commit_and_wait(0, 1) +
                      show_cells(0, 128));
}

TEST_P(TensorProductKind, TakesItsFirstOperandFromTensorMemory) {
  const ProductCase& c = GetParam();
  if (c.name == "fp6") return;  // not executed yet, by either engine
  expect_tensor_equal(fill_all() + product(c, "[c]", "1") + commit_and_wait() + show_cells(0, 128));
}

const ProductCase kHalf{"f16", "mma.cta_group::1.kind::f16", kF32 | size(128, 64)};

TEST(BlackwellMachine, KeepsLanesThatAreDisabled) {
  expect_tensor_equal(fill_all() + "mov.b32 v0, 0x1234567;\nmov.b32 v1, -1;\nmov.b32 v2, t;\n" +
                      "mov.b32 v3, 0x80000001;\n" + product(kHalf, "x", "{v0, v1, v2, v3}, 1") +
                      commit_and_wait() + show_cells(0, 64));
}

TEST(BlackwellMachine, ScalesWhatIsAddedTo) {
  expect_tensor_equal(fill_all() + product(kHalf, "x", "1, 5") + commit_and_wait() +
                      show_cells(0, 64) + "mov.b32 v0, 3;\n" +
                      product(kHalf, "[c]", "{v0, v0, v0, v0}, 1, 15") + commit_and_wait(0, 1) +
                      show_cells(0, 64));
}

TEST(BlackwellMachine, KeepsOperandsInTheCollector) {
  std::string body = fill_all();
  for (const char* use : {"fill", "use", "lastuse", "discard"}) {
    ProductCase c = kHalf;
    c.spelling += ".collector::a::" + std::string(use);
    body += product(c, "x", "1");
    c = {"ws", "mma.ws.cta_group::1.kind::f16.collector::b2::" + std::string(use),
         kF32 | size(64, 64)};
    body += product(c, "x", "1");
  }
  expect_tensor_equal(body + commit_and_wait() + show_cells(0, 64));
}

TEST(BlackwellMachine, MultipliesByACopyInOrder) {
  expect_tensor_equal(fill_all() + "@first tcgen05.cp.cta_group::1.128x128b [base+128], x;\n" +
                      "@first tcgen05.cp.cta_group::1.128x128b [base+132], y;\n" +
                      product(kHalf, "[c]", "1") + commit_and_wait() + show_cells(0, 64));
}

/// Each block of a pair holds half of the rows; the even one multiplies, and commits to both.
std::string pair_product(const ProductCase& c, const std::string& a, const std::string& rest) {
  return fill_all() + "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" + R"(
  .reg .pred even;
  setp.eq.u32 even, r, 0;
  and.pred first, first, even;
)" + product(c, a, rest) +
         R"(@first tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [b], both;
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
)" + show_cells(0, 128);
}

void expect_pair_equal(const std::string& body) {
  expect_equal(tensor_kernel(body, 2),
               {.grid = {4, 1, 1}, .block = {128, 1, 1}, .cluster = {2, 1, 1}}, 140'000,
               kBlackwell);
}

class TensorPairProduct : public ::testing::TestWithParam<ProductCase> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, TensorPairProduct,
    ::testing::Values(
        ProductCase{"f16", "mma.cta_group::2.kind::f16", kF32 | size(256, 64)},
        ProductCase{"folded", "mma.cta_group::2.kind::f16", kF32 | size(128, 128)},
        ProductCase{"tf32", "mma.cta_group::2.kind::tf32",
                    kF32 | 2U << 7 | 2U << 10 | size(256, 32)},
        ProductCase{"fp8", "mma.cta_group::2.kind::f8f6f4", kF32 | 1U << 10 | size(256, 64)},
        ProductCase{"i8", "mma.cta_group::2.kind::i8", 2U << 4 | 1U << 7 | size(256, 64)}),
    [](const auto& one) { return one.param.name; });

TEST_P(TensorPairProduct, LeavesTheMemoryOfItsPtx) {
  expect_pair_equal(pair_product(GetParam(), "x", "p"));
  expect_pair_equal(pair_product(GetParam(), "[c]", "1"));
}

TEST(BlackwellMachine, KeepsDisabledLanesOfBothBlocks) {
  const ProductCase c{"f16", "mma.cta_group::2.kind::f16", kF32 | size(256, 64)};
  expect_pair_equal("mov.b32 v0, 0x1234567;\nmov.b32 v1, -1;\nmov.b32 v2, 5;\n" +
                    pair_product(c, "x", "{v0, v1, v2, v0, v1, v1, v0, v2}, 1"));
}

TEST(BlackwellMachine, CommitsToOneBlockOfAPair) {
  expect_pair_equal(R"(
  mapa.shared::cluster.u32 c, b, 0;
  @first tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [b];
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
  st.global.b32 [out], t;
)");
}

}  // namespace
}  // namespace warpledger::exec
