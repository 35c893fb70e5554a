// mbarriers, bulk copies and clusters of sm_90a and sm_100a.
#include <algorithm>

#include "tests/system/machine_toolkit/async_kernels.h"
#include "warpledger/exec/machine/engine.h"

namespace warpledger::exec {
namespace {

/// Registers and addresses that all kernels here have: `t`, `b` (an mbarrier), `a` (4 KB of shared
/// memory), `in`, `out`, `mine` (the thread's word of `out`).
std::string kernel(const std::string& body) {
  return kernel_text(R"(
  .shared .align 128 .b8 tile[4096];
  .shared .align 8 .b64 bar;
  .reg .pred p, q, first; .reg .b32 t, a, b, c, v, w, r; .reg .b64 in, out, mine, s, x, y;
  mov.u32 t, %tid.x;
  mov.u32 a, tile;
  mov.u32 b, bar;
  setp.eq.u32 first, t, 0;
  ld.param.u64 in, [p0];
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 mine, out, x;
)" + body + "\nret;",
                     2, "sm_90a", "8.6");
}

std::string begin(int arrivals) {
  return "@first mbarrier.init.shared::cta.b64 [b], " + std::to_string(arrivals) +
         ";\nbar.sync 0;\n";
}
std::string wait_for(int parity, int number = 0, const std::string& more = "") {
  const std::string label = "W" + std::to_string(2 * number + parity);
  return label + ": mbarrier.try_wait.parity.shared::cta.b64 q, [b], " + std::to_string(parity) +
         more + ";\n@!q bra " + label + ";\nbar.sync 0;\n";
}
/// Each thread's word of the tile, and the tile's next KB, to `out`.
std::string store_tile() {
  return R"(
  shl.b32 v, t, 2;
  add.u32 a, a, v;
  ld.shared.u32 v, [a];
  st.global.u32 [mine], v;
  ld.shared.u32 v, [a+1024];
  st.global.u32 [mine+1024], v;
)";
}
constexpr Extent kBlock = {256, 1, 1};

TEST(HopperMachine, ArrivesAndWaits) {
  expect_equal_on_both(kernel(begin(256) + R"(
  st.shared.u32 [a+8], 0;
  mbarrier.arrive.shared::cta.b64 s, [b];
W: mbarrier.test_wait.shared::cta.b64 q, [b], s;
  @!q bra W;
  mbarrier.pending_count.b64 v, s;
  setp.gt.u32 p, v, 0;
  selp.u32 v, 1, 2, p;
  st.global.u32 [mine], v;
  mbarrier.arrive.shared::cta.b64 _, [b];
)" + wait_for(1, 1, ", 1000000") +
                              "@first mbarrier.inval.shared::cta.b64 [b];"),
                       {.block = kBlock});
}

// With a time limit ptxas sleeps once and asks again; nobody else could arrive.
TEST(HopperMachine, GoesOnWhenAWaitTimesOut) {
  expect_equal_on_both(kernel(begin(1) + R"(
  mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0, 10000000;
  @!q mbarrier.arrive.shared::cta.b64 _, [b];
  selp.u32 v, 1, 2, q;
  st.global.u32 [mine], v;
)" + wait_for(0, 0, ", 10000000")),
                       {.block = {1, 1, 1}});
}

TEST(HopperMachine, CountsArrivalsAndBytes) {
  expect_equal_on_both(kernel(begin(100) + R"(
  setp.lt.u32 p, t, 10;
  mov.u32 v, 9;
  @p mbarrier.arrive.shared::cta.b64 _, [b], v;
  shl.b32 w, t, 4;
  @p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], w;
  bar.sync 0;
  @p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], w;
  @p mbarrier.arrive.expect_tx.shared::cta.b64 s, [b], w;
  @p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], w;
)" + wait_for(0) + R"(
  @first mbarrier.arrive_drop.shared::cta.b64 s, [b];
  @first mbarrier.arrive_drop.shared::cta.b64 _, [b], v;
  @first mbarrier.arrive_drop.expect_tx.relaxed.cta.shared::cta.b64 s, [b], 0;
  bar.sync 0;
  mov.u32 v, 1;
  setp.lt.u32 p, t, 89;
  @p mbarrier.arrive.shared::cta.b64 _, [b], v;
)" + wait_for(1) + R"(
  @p mbarrier.arrive.shared::cta.b64 _, [b];
)" + wait_for(0, 1) + "st.global.u32 [mine], t;"),
                       {.block = kBlock});
}

TEST(HopperMachine, ArrivesWhenCopiesOfAThreadAreDone) {
  const std::string copy = R"(
  shl.b32 v, t, 2;
  add.u32 w, a, v;
  add.u64 y, in, x;
  cp.async.ca.shared.global [w], [y], 4;
)";
  expect_equal_on_both(kernel(begin(256) + copy + R"(
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [b];
)" + wait_for(0) + R"(
  cp.async.ca.shared.global [w+1024], [y+1024], 4;
  cp.async.mbarrier.arrive.shared::cta.b64 [b];
  mbarrier.arrive.shared::cta.b64 _, [b];
)" + wait_for(1) + store_tile()),
                       {.block = kBlock});
}

/// `from`, `to` and the mbarrier as CUDA's cuda::ptx writes them; 2 KB in all.
std::string bulk_load() {
  return R"(
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 2048;
  @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [in], 2048, [b];
)";
}

TEST(HopperMachine, CopiesIntoSharedMemory) {
  expect_equal_on_both(kernel(begin(1) + bulk_load() + wait_for(0) + store_tile()),
                       {.block = kBlock});
}

TEST(HopperMachine, CopiesOnlyWhenSomebodyWaits) {
  expect_equal_on_both(
      kernel(begin(1) + "st.shared.u32 [a], t;\nbar.sync 0;\n" + bulk_load() + store_tile()),
      {.block = {1, 1, 1}});
}

TEST(HopperMachine, CopiesWithinSharedMemory) {
  expect_equal_on_both(kernel(begin(1) + bulk_load() + wait_for(0) + R"(
  add.u32 c, a, 1024;
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 1024;
  @first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [c], 1024, [b];
)" + wait_for(1) + R"(
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 1024;
  @first cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [a], [c], 1024, [b];
)" + wait_for(0, 1) + store_tile()),
                       {.block = kBlock});
}

/// Words of the tile are `in`'s; `what`: copies out of it.
std::string bulk_store(const std::string& what) {
  return kernel(begin(1) + bulk_load() + wait_for(0) + what);
}

TEST(HopperMachine, CopiesOutOfSharedMemory) {
  expect_equal_on_both(bulk_store(R"(
  fence.proxy.async.shared::cta;
  @first cp.async.bulk.prefetch.L2.global [in], 1024;
  @first cp.async.bulk.global.shared::cta.bulk_group [out], [a], 1024;
  mov.u64 y, 0x12f0000000000000;
  @first cp.async.bulk.commit_group;
  @first cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [out+4096], [a], 512, y;
  @first cp.async.bulk.commit_group;
  @first cp.async.bulk.wait_group.read 1;
  @first cp.async.bulk.wait_group 0;
)"),
                       {.block = kBlock});
}

TEST(HopperMachine, CopiesOutWhenTheGroupIsWaitedFor) {
  expect_equal_on_both(bulk_store(R"(
  @first cp.async.bulk.global.shared::cta.bulk_group [out], [a], 1024;
  @first cp.async.bulk.commit_group;
  ld.global.u32 v, [mine];
  st.global.u32 [mine+2048], v;
  bar.sync 0;
)"),
                       {.block = kBlock});
}

TEST(HopperMachine, CopiesOutOfEachLane) {
  expect_equal_on_both(bulk_store(R"(
  shl.b32 v, t, 4;
  add.u32 a, a, v;
  cvt.u64.u32 y, v;
  add.u64 out, out, y;
  cp.async.bulk.global.shared::cta.bulk_group [out], [a], 16;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [out], [a], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
)"),
                       {.block = {128, 1, 1}});
}

class HopperReduction : public ::testing::TestWithParam<const char*> {};

TEST_P(HopperReduction, LeavesTheMemoryOfItsPtx) {
  expect_equal_on_both(bulk_store("@first cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                                  std::string(GetParam()) + R"( [out], [a], 1024;
  @first cp.async.bulk.commit_group;
  @first cp.async.bulk.wait_group 0;
)"),
                       {.block = kBlock});
}

INSTANTIATE_TEST_SUITE_P(Operations, HopperReduction,
                         ::testing::Values("add.u32", "add.s32", "add.u64", "add.f32", "add.f64",
                                           "add.noftz.f16", "add.noftz.bf16", "min.u32", "min.s32",
                                           "min.u64", "min.s64", "min.f16", "min.bf16", "max.u32",
                                           "max.s32", "max.u64", "max.s64", "max.f16", "max.bf16",
                                           "inc.u32", "dec.u32", "and.b32", "and.b64", "or.b32",
                                           "or.b64", "xor.b32", "xor.b64"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(HopperMachine, StoresMatrices) {
  expect_equal_on_both(kernel(R"(
  shl.b32 v, t, 4;
  add.u32 v, a, v;
  ld.global.u32 w, [in];
  add.u32 c, t, w;
  mul.lo.u32 r, t, 77;
  stmatrix.sync.aligned.m8n8.x4.shared.b16 [v], {t, c, r, w};
  stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [v+512], {w, r, t, c};
  stmatrix.sync.aligned.m8n8.x2.shared.b16 [v+1024], {r, c};
  stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [v+1280], {c, r};
  stmatrix.sync.aligned.m8n8.x1.shared.b16 [v+1536], {c};
  stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [v+1792], {r};
  bar.sync 0;
  shl.b32 v, t, 2;
  add.u32 a, a, v;
)" +
                              [] {
                                std::string text;
                                for (int at = 0; at < 2048; at += 128)
                                  text += "ld.shared.u32 v, [a+" + std::to_string(at) +
                                          "];\nst.global.u32 [mine+" + std::to_string(at) +
                                          "], v;\n";
                                return text;
                              }()),
                       {.block = {32, 1, 1}});
}

constexpr Extent kPair = {2, 1, 1};

TEST(HopperMachine, ReadsSpecialRegistersOfClusters) {
  std::string body;
  int at = 0;
  for (const char* name : {"cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x",
                           "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x",
                           "cluster_nctaid.y", "cluster_nctaid.z", "clusterid.x", "clusterid.y",
                           "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z"}) {
    body += "mov.u32 v, %" + std::string(name) + ";\nst.global.u32 [mine+" +
            std::to_string(4096 * at++) + "], v;\n";
  }
  const std::string place = R"(
  mov.u32 v, %ctaid.x;
  mov.u32 w, %ctaid.y;
  mad.lo.u32 v, w, 6, v;
  shl.b32 v, v, 7;
  cvt.u64.u32 y, v;
  add.u64 mine, mine, y;
)";
  for (const Extent& cluster :
       {Extent{1, 1, 1}, Extent{2, 1, 1}, Extent{3, 1, 1}, Extent{2, 2, 1}, Extent{6, 1, 1}})
    expect_equal_on_both(kernel(place + body),
                         {.grid = {6, 4, 1}, .block = {32, 1, 1}, .cluster = cluster}, 16384);
}

TEST(HopperMachine, ReachesThePeersSharedMemory) {
  expect_equal_on_both(kernel(R"(
  mov.u32 r, %cluster_ctarank;
  xor.b32 w, r, 1;
  mapa.shared::cluster.u32 c, a, w;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  shl.b32 v, t, 2;
  add.u32 c, c, v;
  add.u32 v, v, r;
  st.shared::cluster.u32 [c], v;
  add.u32 w, v, 1;
  st.shared::cluster.u32 [c+1024], w;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  ld.shared::cluster.u32 w, [c+1024];
  red.shared::cluster.add.u32 [c+1024], w;
  getctarank.shared::cluster.u32 w, c;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 v, %ctaid.x;
  shl.b32 v, v, 12;
  cvt.u64.u32 y, v;
  add.u64 mine, mine, y;
  st.global.u32 [mine+2048], w;
)" + store_tile()),
                       {.grid = {4, 1, 1}, .block = kBlock, .cluster = kPair});
}

TEST(HopperMachine, ArrivesAtThePeersMbarrier) {
  expect_equal_on_both(kernel(begin(33) + R"(
  mov.u32 r, %cluster_ctarank;
  xor.b32 w, r, 1;
  mapa.shared::cluster.u32 c, b, w;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  setp.lt.u32 p, t, 32;
  @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [c];
  @first mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [c], 1024;
  mapa.shared::cluster.u32 v, a, w;
  @first st.shared.u32 [a+1024], 5;
  @first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [v], [a+1024], 1024, [c];
)" + wait_for(0) + R"(
  mov.u32 v, %ctaid.x;
  shl.b32 v, v, 12;
  cvt.u64.u32 y, v;
  add.u64 mine, mine, y;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)" + store_tile()),
                       {.grid = {2, 1, 1}, .block = kBlock, .cluster = kPair});
}

TEST(HopperMachine, CopiesToAllBlocksOfACluster) {
  expect_equal_on_both(kernel(begin(1) + R"(
  mov.u32 r, %cluster_ctarank;
  setp.eq.u32 p, r, 0;
  and.pred p, p, first;
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 2048;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  .reg .b16 mask;
  mov.b16 mask, 3;
  @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [a], [in], 2048, [b], mask;
)" + wait_for(0) + R"(
  mov.u32 v, %ctaid.x;
  shl.b32 v, v, 12;
  cvt.u64.u32 y, v;
  add.u64 mine, mine, y;
)" + store_tile() + R"(
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)"),
                       {.grid = {2, 1, 1}, .block = kBlock, .cluster = kPair});
}

TEST(HopperMachine, WaitsForNoEarlierLaunchAndElectsALane) {
  expect_equal_on_both(kernel(R"(
  griddepcontrol.wait;
  elect.sync v|q, -1;
  selp.u32 w, 100, 0, q;
  add.u32 v, v, w;
  st.global.u32 [mine], v;
  fence.proxy.async.global;
  fence.proxy.async;
  griddepcontrol.launch_dependents;
)"),
                       {.block = kBlock});
}

// A deadlock names the mbarrier: what stops is not left to the time limit.
TEST(HopperMachine, TellsWhatAWaitLacks) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const std::string text = kernel(begin(1) + bulk_load() + wait_for(0) + wait_for(1));
  TestMachine machine(text);
  const uint64_t in = machine.put(mild_words(1024)), out = machine.put(mild_words(1024));
  const auto made = toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, kHopper, {});
  ASSERT_TRUE(made);
  const Launch launch{.kernel = "k", .block = kBlock, .params = TestMachine::pack(in, out)};
  auto engine = machine::Engine::create(machine.image(), launch, made->cubin, {}, true,
                                        machine::Spellings::kAll);
  ASSERT_TRUE(engine);
  trace::NoSink sink;
  const Status ran = trace::run_all(**engine, sink, 1);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, "mbarrier-deadlock");
  EXPECT_NE(ran.error().message.find("1 of 1 arrivals are missing"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::exec
