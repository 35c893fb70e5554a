// What sm_100a adds beside tensor memory: pairs of f32, launch control, copies of pairs of blocks.
#include "tests/system/machine_toolkit/async_kernels.h"
#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {
namespace {

std::string pair_kernel(const std::string& body) {
  std::string text = R"(
  .reg .b32 t, a, b, c, d; .reg .b64 in, out, x, y, z, v, o;
  mov.u32 t, %tid.x;
  ld.param.u64 in, [p0];
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 8;
  add.u64 in, in, x;
  add.u64 out, out, x;
  ld.global.b64 x, [in];
  ld.global.b64 y, [in+512];
  ld.global.b64 z, [in+1024];
  mov.b64 {a, b}, x;
  mov.b64 {c, d}, y;
)";
  return kernel_text(text + body + "ret;", 2, "sm_100a", "8.6");
}

TEST(BlackwellMachine, ComputesPairsOfFloats) {
  std::string body;
  int at = 0;
  const auto add = [&](const std::string& what) {
    body += what + "st.global.b64 [out+" + std::to_string(512 * at++) + "], v;\n";
  };
  for (const char* mode : {"rn", "rz", "rm", "rp", "rn.ftz", "rz.ftz", "rm.ftz", "rp.ftz"}) {
    const std::string of = std::string(mode) + ".f32x2 v, x, y";
    add("add." + of + ";\n");
    add("mul." + of + ";\n");
    add("fma." + of + ", z;\n");
  }
  add("sub.rn.f32x2 v, x, y;\n");
  add("mov.b64 o, {b, a};\nmul.rn.f32x2 v, y, o;\n");
  add("mov.b64 o, {c, c};\nfma.rn.f32x2 v, o, x, o;\n");
  add("mov.b64 o, 0x3fc000003fc00000;\nadd.rn.f32x2 v, x, o;\n");
  add("mov.b64 o, 0x3fc0000040000000;\nfma.rn.f32x2 v, x, o, y;\n");
  add("mov.b64 o, 0;\nfma.rn.f32x2 v, x, y, o;\n");
  expect_equal(pair_kernel(body), {.block = {64, 1, 1}}, 4096, kBlackwell);
}

/// Each block asks whether it may go on with another's work; `ask` says who of its cluster hears.
std::string asking_kernel(const std::string& ask) {
  return kernel_text(R"(
  .shared .align 16 .b8 answer[16];
  .shared .align 8 .b64 bar;
  .reg .pred p, q, c, lead; .reg .b32 t, a, b, v, r, i, e, f, g, h; .reg .b64 out, off; .reg .b128 w;
  mov.u32 t, %tid.x;
  mov.u32 r, %cluster_ctarank;
  mov.u32 i, %ctaid.x;
  mov.u32 a, answer;
  mov.u32 b, bar;
  setp.eq.u32 p, t, 0;
  setp.eq.and.u32 lead, r, 0, p;
  ld.param.u64 out, [p1];
  @p mbarrier.init.shared::cta.b64 [b], 1;
  bar.sync 0;
  @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 16;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)" + ask + R"(
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
  ld.shared.b128 w, [a];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 c, w;
  selp.u32 v, 1, 2, c;
  @c clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {e, f, g, h}, w;
  @c add.u32 v, v, e;
  mad.lo.u32 t, i, 32, t;
  mul.wide.u32 off, t, 4;
  add.u64 out, out, off;
  st.global.u32 [out], v;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;)",
                     2, "sm_100a", "8.6");
}

TEST(BlackwellMachine, FindsNoWorkToTakeOver) {
  expect_equal(
      asking_kernel("@p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
                    "bytes.b128 [a], [b];"),
      {.grid = {2, 1, 1}, .block = {32, 1, 1}}, 4096, kBlackwell);
}

TEST(BlackwellMachine, TellsAllBlocksOfAClusterThatThereIsNoWork) {
  expect_equal(
      asking_kernel("@lead clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx"
                    "::bytes.multicast::cluster::all.b128 [a], [b];"),
      {.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}, 4096, kBlackwell);
}

TEST(BlackwellMachine, ChangesHowManyRegistersAWarpHas) {
  std::string text = kernel_text(R"(
  .reg .b32 t; .reg .b64 out, x;
  mov.u32 t, %tid.x;
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 out, out, x;
  setmaxnreg.inc.sync.aligned.u32 232;
  st.global.u32 [out], t;
  setmaxnreg.dec.sync.aligned.u32 40;
  ret;)",
                                 2, kHopper, "8.6");
  text.replace(text.find(")\n{"), 3,
               ")\n.maxntid 128\n.maxnreg 128\n{");  // else ptxas leaves it out
  expect_equal_on_both(text, {.block = {128, 1, 1}});
}

/// Each block of a pair copies a box, and both signal the even one's mbarrier.
std::string pair_copy(bool multicast) {
  const std::string to = multicast ? ".multicast::cluster.cta_group::2 [a], [m, {0, 0}], [c], both"
                                   : ".cta_group::2 [a], [m, {0, v}], [c]";
  return R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 p0[128], .param .u64 p1)
{
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b64 bar;
  .reg .pred p, q, first; .reg .b32 t, a, b, c, r, v; .reg .b64 m, out, x; .reg .b16 both;
  mov.u32 t, %tid.x;
  mov.u32 r, %cluster_ctarank;
  mov.u32 a, tile;
  mov.u32 b, bar;
  mov.b16 both, 3;
  setp.eq.u32 first, t, 0;
  mov.b64 m, p0;
  cvta.param.u64 m, m;
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 out, out, x;
  mul.wide.u32 x, r, 1024;
  add.u64 out, out, x;
  setp.eq.and.u32 p, r, 0, first;
  @first mbarrier.init.shared::cta.b64 [b], 1;
  mapa.shared::cluster.u32 c, b, 0;
  shl.b32 v, r, 2;
  @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 2048;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @)" + std::string(multicast ? "p" : "first") +
         " cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" + to +
         R"(;
  @!p bra PAST;
W: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W;
PAST:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  shl.b32 v, t, 2;
  add.u32 a, a, v;
  ld.shared.u32 v, [a];
  st.global.u32 [out], v;
  ret;
}
)";
}

class PairCopy : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Multicast, PairCopy, ::testing::Bool());

TEST_P(PairCopy, EndsAtTheEvenBlocksMbarrier) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const std::string text = pair_copy(GetParam());
  TestMachine machine(text);
  ASSERT_TRUE(machine.is_loaded());
  const TensorMap map{.element = TensorElement::kU32,
                      .rank = 2,
                      .address = machine.put(mild_words(4096)),
                      .size = {32, 64},
                      .stride = {128},
                      .box = {32, 8},
                      .swizzle = SharedMode::kNone};
  const uint64_t out = machine.put(std::vector<uint32_t>(1024, 7));
  const auto bytes = encode(map);
  ASSERT_TRUE(bytes);
  std::vector<std::byte> params(bytes->begin(), bytes->end());
  const auto last = TestMachine::pack(out);
  params.insert(params.end(), last.begin(), last.end());
  const Launch launch{.kernel = "k",
                      .grid = {2, 1, 1},
                      .block = {256, 1, 1},
                      .cluster = {2, 1, 1},
                      .params = params};
  EXPECT_EQ(compare_on(machine, text, launch, kBlackwell), "equal");
  EXPECT_EQ(machine.run(launch), "");
}

}  // namespace
}  // namespace warpledger::exec
