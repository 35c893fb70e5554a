// What asynchronous instructions are refused: places that are in no memory of the launch.
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {
namespace {

constexpr const char* kBegin = R"(
  .shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar;
  .reg .b32 %r<16>; .reg .b64 %rd<4>; .reg .pred %p<4>;
  ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1];
  mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r2], 1;
  bar.sync 0;
)";

/// p0: 1024 bytes, p1: the map. The code of the fault.
std::string run(const std::string& body, const TensorMap& map = {}, uint32_t ctas = 1,
                bool goes_on = false) {
  TestMachine machine(kernel_text(kBegin + body + "\n  ret;", 2, "sm_100a", "8.6"));
  EXPECT_TRUE(machine.is_loaded());
  const uint64_t buffer = machine.put(std::vector<std::byte>(1024));
  TensorMap here = map;
  here.address = buffer;
  const TensorMapBytes bytes = encode_unchecked(here);
  const uint64_t at = machine.put(std::vector<std::byte>(bytes.begin(), bytes.end()));
  const Launch launch{.kernel = "k",
                      .grid = {ctas, 1, 1},
                      .block = {32, 1, 1},
                      .cluster = {ctas, 1, 1},
                      .params = TestMachine::pack(buffer, at)};
  BadAccesses noted;
  Limits limits;
  if (goes_on) limits.bad_accesses = &noted;
  auto engine = reference::Engine::create(machine.image(), launch, limits);
  EXPECT_TRUE(engine);
  return observe(**engine, ctas).code;
}

constexpr const char* kLoad =
    "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 1024;\n"
    "@%p0 cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r1], [%rd1, {0, 0, 0, 0}], [%r2];\n"
    "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n";

TensorMap doubles(std::array<uint32_t, 5> box) {
  return {.element = TensorElement::kF64, .rank = 4, .size = {2, 8, 8, 8}, .box = box};
}

TEST(TensorCopy, OfABoxThatFitsRuns) { EXPECT_EQ(run(kLoad, doubles({2, 4, 4, 4})), ""); }
TEST(TensorCopy, OfABoxOfFourGigabytesIsRefused) {
  EXPECT_EQ(run(kLoad, doubles({256, 256, 256, 32})), "out-of-bounds");
}
TEST(TensorCopy, OfAnUnknownSwizzleIsRefused) {
  TensorMap map = doubles({2, 4, 4, 4});
  map.swizzle = static_cast<SharedMode>(5);
  EXPECT_EQ(run(kLoad, map), "bad-tensor-map");
}
TEST(TensorCopy, MayBeFollowedByACopyOfNothing) {
  const std::string nothing =
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r1], [%rd0], 0, [%r2];\n"
      "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n";
  EXPECT_EQ(run(kLoad + nothing, doubles({2, 4, 4, 4})), "");
}
TEST(TensorReduction, OfPackedElementsIsRefused) {
  TensorMap map{.element = TensorElement::k4Bit, .rank = 1, .size = {68}, .box = {64}};
  EXPECT_EQ(run("@%p0 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group "
                "[%rd1, {32}], [%r1];",
                map),
            "unsupported-opcode");
}

TEST(BulkCopy, ToARankBeyondTheClusterIsRefused) {
  for (const char* rank : {"0x02000000", "0x21000000", "0xff000000"}) {
    EXPECT_EQ(run("or.b32 %r3, %r1, " + std::string(rank) +
                      ";\n@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                      "[%r3], [%rd0], 64, [%r2];",
                  {}, 2),
              "out-of-bounds")
        << rank;
  }
}
TEST(AsyncCopy, ToAPeerIsRefused) {
  EXPECT_EQ(run("mov.u32 %r4, %cluster_ctarank; xor.b32 %r4, %r4, 1;\n"
                "mapa.shared::cluster.u32 %r3, %r1, %r4;\n"
                "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
                "cp.async.ca.shared.global [%r3], [%rd0], 16; cp.async.wait_all;\n"
                "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
                {}, 2),
            "bad-address");
}

TEST(AsyncCopy, OutsideIsDroppedWhereTheLaunchGoesOn) {
  const std::string copy = "cp.async.ca.shared.global [%r1+4096], [%rd0], 16; cp.async.wait_all;";
  EXPECT_EQ(run(copy), "out-of-bounds");
  EXPECT_EQ(run(copy, {}, 1, /*goes_on=*/true), "");
}
TEST(Mbarrier, OutsideEndsALaunchThatGoesOn) {
  const std::string init = "@%p0 mbarrier.init.shared::cta.b64 [%r1+1048576], 1;";
  EXPECT_EQ(run(init, {}, 1, /*goes_on=*/true), "out-of-bounds");
}

/// With 32 columns of tensor memory, which begin at 0.
std::string run_in_columns(const std::string& body) {
  return run("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;\n" + body +
             "\nmov.u32 %r3, 0; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;\n");
}

TEST(TensorMemory, StoresStayInTheirWarpsLanes) {
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r0};";
  EXPECT_EQ(run_in_columns("mov.u32 %r3, 0;" + store), "");
  EXPECT_EQ(run_in_columns("mov.u32 %r3, 0x1f0000;" + store), "bad-tensor-lane");
}
TEST(TensorMemory, HalvesStayInTheirColumns) {
  const auto load = [](const std::string& split) {
    return std::string("mov.u32 %r3, 0;") +
           "tcgen05.ld.sync.aligned.16x32bx2.pack::16b.x1.b32 {%r4}, [%r3], " + split + ";";
  };
  EXPECT_EQ(run_in_columns(load("4")), "");
  EXPECT_EQ(run_in_columns(load("2147483647")), "out-of-bounds");
}
TEST(TensorMemory, ProductsStayInside) {
  // f32 results of f16 elements, 128 x 8; both operands at the start of shared memory.
  const auto product = [](const std::string& d, const std::string& a) {
    return "mov.u32 %r3, " + d + "; mov.u32 %r5, " + a +
           "; mov.u32 %r4, 0x8020010; mov.u64 %rd2, 0x400000000000;\n"
           "@%p0 tcgen05.mma.cta_group::1.kind::f16 [%r3], [%r5], %rd2, %r4, %p0;\n"
           "@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];\n"
           "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n";
  };
  EXPECT_EQ(run_in_columns(product("0", "8")), "");
  EXPECT_EQ(run_in_columns(product("0x10000", "8")), "out-of-bounds");
  EXPECT_EQ(run_in_columns(product("0", "0x400008")), "out-of-bounds");
  EXPECT_EQ(run_in_columns(product("0", "30")), "out-of-bounds");
}
TEST(TensorMemory, CopiesStayInside) {
  const auto copy = [](const std::string& to) {
    return "mov.u32 %r3, " + to +
           "; mov.u64 %rd2, 0x400000000000;\n"
           "@%p0 tcgen05.cp.cta_group::1.128x128b [%r3], %rd2;\n"
           "@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];\n"
           "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n";
  };
  EXPECT_EQ(run_in_columns(copy("0")), "");
  EXPECT_EQ(run_in_columns(copy("0x10000")), "out-of-bounds");
}

}  // namespace
}  // namespace warpledger::exec
