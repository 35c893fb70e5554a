// mbarriers, bulk copies, clusters, wgmma and tensor memory in small kernels.
#include <gmock/gmock.h>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/launch/argument.h"

namespace warpledger::exec {
namespace {

using ::testing::HasSubstr;

// Thread 0 copies 1024 bytes in, all wait, each thread writes its word out.
std::string copy_kernel(int expected, const std::string& waits) {
  return kernel_text(
      R"(
  .shared .align 128 .b8 tile[1024];
  .shared .align 8 .b64 bar;
  .reg .pred p, q; .reg .b32 t, a, b, v; .reg .b64 from, to, off;
  mov.u32 t, %tid.x;
  mov.u32 a, tile;
  mov.u32 b, bar;
  setp.eq.u32 p, t, 0;
  ld.param.u64 from, [p0];
  ld.param.u64 to, [p1];
  @p mbarrier.init.shared::cta.b64 [b], 1;
  bar.sync 0;
  @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], )" +
          std::to_string(expected) + R"(;
  @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [from], 1024, [b];
)" + waits +
          R"(
  shl.b32 v, t, 2;
  cvt.u64.u32 off, v;
  add.u32 a, a, v;
  add.u64 to, to, off;
  ld.shared.u32 v, [a];
  st.global.u32 [to], v;
  ret;)",
      2, "sm_90", "8.0");
}
std::string wait_for(int parity) {
  const std::string label = "W" + std::to_string(parity);
  return label + ": mbarrier.try_wait.parity.shared::cta.b64 q, [b], " + std::to_string(parity) +
         ";\n@!q bra " + label + ";\n";
}

struct Copied {
  std::vector<uint32_t> in, out;
  std::string error;
  Statistics statistics;
};
Copied run_copy(const std::string& text) {
  TestMachine machine(text);
  Copied run;
  for (uint32_t i = 0; i < 256; ++i) run.in.push_back(i * 2654435761u);
  const uint64_t from = machine.put(run.in), to = machine.put(std::vector<uint32_t>(256));
  run.error =
      machine.run({.kernel = "k", .block = {256, 1, 1}, .params = TestMachine::pack(from, to)});
  run.out = machine.get<uint32_t>(to, 256);
  run.statistics = machine.statistics;
  return run;
}

TEST(BulkCopy, ArrivesAtItsMbarrier) {
  const Copied run = run_copy(copy_kernel(1024, wait_for(0)));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.out, run.in);
}
TEST(BulkCopy, AWaitIsCountedOnceHoweverOftenItIsTried) {
  const Copied run = run_copy(copy_kernel(1024, wait_for(0)));
  EXPECT_EQ(run.error, "");
  // Each of 8 warps: init, bar.sync, arrive and one wait.
  EXPECT_EQ(run.statistics.by_family[static_cast<size_t>(ptx::Family::kBarrier)], 8u * 4);
}
TEST(BulkCopy, IsNotThereBeforeTheWait) {
  const Copied run = run_copy(copy_kernel(1024, ""));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.out, std::vector<uint32_t>(256));
}
TEST(BulkCopy, WrongParityIsADeadlockThatNamesTheMbarrier) {
  const Copied run = run_copy(copy_kernel(1024, wait_for(0) + wait_for(1)));
  EXPECT_THAT(run.error, HasSubstr("mbarrier-deadlock"));
  EXPECT_THAT(run.error, HasSubstr("parity 1"));
  EXPECT_THAT(run.error, HasSubstr("1 of 1 arrivals are missing"));
}
TEST(BulkCopy, BytesThatNobodyAnnouncedAreTold) {
  const Copied run = run_copy(copy_kernel(512, wait_for(0)));
  EXPECT_THAT(run.error, HasSubstr("512 bytes were copied without an expect_tx"));
}

// All lanes of a warp execute the store; `offset` is added to both addresses.
uint64_t stored_bytes(const std::string& offset) {
  TestMachine machine(kernel_text(R"(
  .shared .align 128 .b8 tile[1024];
  .reg .b32 t, a; .reg .b64 to, off;
  ld.param.u64 to, [p0];
  mov.u32 t, )" + offset + R"(;
  shl.b32 t, t, 4;
  mov.u32 a, tile;
  add.u32 a, a, t;
  cvt.u64.u32 off, t;
  add.u64 to, to, off;
  cp.async.bulk.global.shared::cta.bulk_group [to], [a], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;)",
                                  1, "sm_90", "8.0"));
  const uint64_t to = machine.put(std::vector<uint32_t>(256));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(to)}), "");
  return machine.statistics.by_space[static_cast<size_t>(trace::Space::kGlobal)].bytes;
}
TEST(BulkStore, IsIssuedOnceForLanesThatAskForTheSame) { EXPECT_EQ(stored_bytes("0"), 16u); }
TEST(BulkStore, IsIssuedForEachLaneThatDiffers) { EXPECT_EQ(stored_bytes("%laneid"), 512u); }

// Two blocks of a cluster: each writes its rank into the other's shared memory.
TEST(Cluster, PeersSeeEachOthersSharedMemory) {
  TestMachine machine(kernel_text(R"(
  .shared .align 4 .b32 box;
  .reg .b32 mine, other, r, c, v; .reg .b64 to, off;
  ld.param.u64 to, [p0];
  mov.u32 r, %cluster_ctarank;
  xor.b32 other, r, 1;
  mov.u32 mine, box;
  mapa.shared::cluster.u32 c, mine, other;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  add.u32 v, r, 100;
  st.shared::cluster.u32 [c], v;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared.u32 v, [mine];
  mov.u32 r, %ctaid.x;
  mul.wide.u32 off, r, 4;
  add.u64 to, to, off;
  st.global.u32 [to], v;
  ret;)",
                                  1, "sm_90", "8.0"));
  const uint64_t to = machine.put(std::vector<uint32_t>(4));
  EXPECT_EQ(machine.run({.kernel = "k",
                         .grid = {4, 1, 1},
                         .block = {32, 1, 1},
                         .cluster = {2, 1, 1},
                         .params = TestMachine::pack(to)}),
            "");
  EXPECT_EQ(machine.get<uint32_t>(to, 4), (std::vector<uint32_t>{101, 100, 101, 100}));
}

TEST(TensorMemory, AllocationsMayNotGrow) {
  TestMachine machine(kernel_text(R"(
  .shared .align 4 .b32 at;
  .reg .b32 a;
  mov.u32 a, at;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 32;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 64;
  ret;)",
                                  1, "sm_100a", "8.6"));
  EXPECT_THAT(
      machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(uint64_t{0})}),
      HasSubstr("must not grow"));
}

LAW(TensorMap, EncodingLosesNothing) {
  TensorMap map{.element = static_cast<TensorElement>(rng.between(0, 12)),
                .rank = static_cast<uint32_t>(rng.between(1, 5)),
                .address = static_cast<uint64_t>(rng.between(1, 1 << 30)) * 16};
  for (size_t d = 0; d < map.rank; ++d) {
    map.size[d] = static_cast<uint64_t>(rng.between(1, int64_t{1} << 32));
    map.box[d] = static_cast<uint32_t>(d == 0 ? 16 : rng.between(1, 256));
    map.element_stride[d] = static_cast<uint32_t>(rng.between(1, 8));
    if (d > 0) map.stride[d - 1] = static_cast<uint64_t>(rng.between(1, 1 << 20)) * 16;
  }
  map.fills_nan = rng.coin();
  const auto bytes = encode(map);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*decode_tensor_map(*bytes), map);
}

// CUTLASS and Triton clear bit 21 of the second word: a way around a fault of NVIDIA's drivers.
TEST(TensorMap, KeepsNothingWhereProgramsClearABit) {
  const TensorMap map{.rank = 1, .address = ~uint64_t{15}, .size = {64}, .box = {64}};
  TensorMapBytes bytes = *encode(map);
  bytes[8 + 2] &= ~std::byte{1 << 5};
  EXPECT_EQ(*decode_tensor_map(bytes), map);
}

// As Triton does: 128 bytes of zeros in shared memory, field after field, then published.
TEST(TensorMap, IsMadeByAKernelFromZeros) {
  TestMachine machine(kernel_text(R"(
  .shared .align 128 .b8 map[128];
  .reg .pred p; .reg .b32 t, a, zero; .reg .b64 to, s;
  mov.u32 t, %tid.x;
  mov.u32 zero, 0;
  mov.u32 a, map;
  shl.b32 t, t, 2;
  add.u32 t, a, t;
  st.shared.u32 [t], zero;
  bar.warp.sync -1;
  mov.u32 t, %tid.x;
  setp.eq.u32 p, t, 0;
  ld.param.u64 to, [p0];
  cvt.u64.u32 s, a;
  @p tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], 4096;
  @p tensormap.replace.tile.rank.shared::cta.b1024.b32 [s], 1;
  @p tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s], 0, 64;
  @p tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s], 1, 32;
  @p tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [s], 0, 640;
  @p tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [s], 1, 512;
  @p tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [s], 0, 1280;
  @p tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [s], 10;
  @p tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [s], 0;
  @p tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [s], 3;
  bar.warp.sync -1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to], [s], 128;
  ret;)",
                                  1, "sm_90a", "8.3"));
  const uint64_t to = machine.put(std::vector<std::byte>(kTensorMapBytes));
  ASSERT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(to)}), "");
  const auto made = decode_tensor_map(machine.get<std::byte>(to, kTensorMapBytes));
  ASSERT_TRUE(made) << to_text(made.error());
  const TensorMap want{.element = TensorElement::kBf16,
                       .rank = 2,
                       .address = 4096,
                       .size = {640, 512},
                       .stride = {1280},
                       .box = {64, 32},
                       .swizzle = SharedMode::k128};
  EXPECT_EQ(*made, want);
}

TEST(TensorMap, IsReadFromACommandLine) {
  const auto argument =
      parse_argument("K=tensormap(box=32x64,swizzle=128B,fill=nan):f16[2x512x64]:one", 1);
  ASSERT_FALSE(argument);  // a box of two dimensions for a buffer of three
  EXPECT_NE(argument.error().message.find("its box has 2 dimensions, the buffer 3"),
            std::string::npos);
  const auto fine = parse_argument("K=tensormap(box=32x64,swizzle=128B,fill=nan):f16[512x64]", 1);
  ASSERT_TRUE(fine) << to_text(fine.error());
  EXPECT_EQ(fine->name, "K");
  EXPECT_EQ(fine->elements(), 512u * 64);
  const TensorMap want{.element = TensorElement::kF16,
                       .rank = 2,
                       .size = {64, 512},
                       .stride = {128},
                       .box = {64, 32},
                       .swizzle = SharedMode::k128,
                       .fills_nan = true};
  EXPECT_EQ(*fine->map, want);
  EXPECT_FALSE(parse_argument("tensormap(box=64,swizzle=96B):f16[512]", 1));
  EXPECT_FALSE(parse_argument("tensormap(box=64):i32:4", 1));
}

// 16 elements lie in 16 bytes of shared memory, their own bytes first; a swizzle moves all 16.
TEST(TensorMap, PaddedElementsKeepTheirPlaces) {
  for (const auto& [element, group] :
       {std::pair{TensorElement::k4BitPadded, 8u}, std::pair{TensorElement::k6BitPadded, 12u}}) {
    TensorMap map{.element = element, .rank = 2, .address = 1 << 20, .size = {256, 8}};
    map.stride = {512};
    map.box = {128, 4};
    map.swizzle = SharedMode::k128;
    ASSERT_TRUE(check(map)) << to_text(check(map).error());
    EXPECT_EQ(map.box_bytes(), 128u * 4);
    EXPECT_EQ(map.moved_bytes(), 8 * group * 4);
    const Box box = box_of(map, std::array<int32_t, 2>{128, 2}, 1024);
    ASSERT_EQ(box.pieces.size(), 8u * 4);
    for (uint32_t i = 0; i < box.pieces.size(); ++i) {
      const uint32_t row = i / 8, column = i % 8;
      EXPECT_EQ(box.pieces[i].global, (1 << 20) + (2 + row) * 512 + (8 + column) * group);
      EXPECT_EQ(box.pieces[i].shared, 1024 + row * 128 + (column ^ row) * 16);
      EXPECT_EQ(box.pieces[i].bytes, group);
    }
  }
}

TEST(TensorMap, FourBitElementsLieTwoAByte) {
  TensorMap map{.element = TensorElement::k4Bit, .rank = 1, .address = 4096, .size = {100}};
  map.box = {64};
  const Box box = box_of(map, std::array<int32_t, 1>{64}, 0);
  ASSERT_EQ(box.pieces.size(), 2u);
  EXPECT_EQ(box.pieces[0].global, 4096u + 32);
  EXPECT_EQ(box.pieces[0].bytes, 18u);  // 36 elements; the rest lies outside
  EXPECT_FALSE(box.pieces[1].inside);
  map.size = {101};
  EXPECT_FALSE(check(map));
}

// Every element of a box where a plain loop puts it.
TEST(TensorMap, BoxesAreWhatLoopsCopy) {
  for (const SharedMode mode :
       {SharedMode::kNone, SharedMode::k32, SharedMode::k64, SharedMode::k128}) {
    const uint32_t inner =
        mode == SharedMode::kNone ? 24 : static_cast<uint32_t>(facts_of(mode).row_bytes) / 2;
    TensorMap map{
        .element = TensorElement::kF16, .rank = 3, .address = 1 << 20, .size = {100, 9, 5}};
    map.stride = {208, 208 * 9};
    map.box = {inner, 4, 3};
    map.element_stride = {1, 1, 2, 1, 1};
    map.swizzle = mode;
    const std::array<int32_t, 3> corner = {-3, 7, 1};
    const Box box = box_of(map, corner, 2048);
    std::map<uint32_t, uint64_t> got;  // byte of shared memory -> of global memory; 0: outside
    for (const BoxPiece& piece : box.pieces) {
      for (uint32_t i = 0; i < piece.bytes; ++i)
        got[piece.shared + i] = piece.inside ? piece.global + i : 0;
    }
    std::map<uint32_t, uint64_t> want;
    for (uint32_t z = 0; z < 2; ++z)
      for (uint32_t y = 0; y < 4; ++y)
        for (uint32_t x = 0; x < inner; ++x) {
          const int64_t gx = corner[0] + int64_t{x}, gy = corner[1] + int64_t{y},
                        gz = corner[2] + 2 * int64_t{z};
          const bool inside = gx >= 0 && gx < 100 && gy >= 0 && gy < 9 && gz >= 0 && gz < 5;
          const uint64_t linear = 2048 + x * 2 + inner * 2 * (y + 4 * z);
          for (uint32_t byte = 0; byte < 2; ++byte) {
            const auto at = static_cast<uint32_t>(facts_of(mode).swizzle(linear + byte));
            want[at] =
                inside ? static_cast<uint64_t>((1 << 20) + gx * 2 + gy * 208 + gz * 208 * 9) + byte
                       : 0;
          }
        }
    EXPECT_EQ(got, want) << facts_of(mode).name;
  }
}

// What the layout folder calls the canonical K-major tile is what a descriptor names.
TEST(Descriptor, NamesTheCanonicalTile) {
  for (const SharedMode mode : {SharedMode::k32, SharedMode::k64, SharedMode::k128}) {
    const int columns = facts_of(mode).row_bytes / 2;
    const auto tile = k_major_tile({.mode = mode, .rows = 64, .cols = columns, .element_bits = 16});
    ASSERT_TRUE(tile);
    SharedOperand operand{.rows = 64, .k = 16};
    operand.descriptor = {.start = 0,
                          .stride_offset = static_cast<uint32_t>(facts_of(mode).row_bytes) * 8,
                          .mode = mode};
    const auto chunks = operand.chunks();
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t c = 0; c < 2; ++c)
        EXPECT_EQ(chunks[row * 2 + c], (*tile)(row + 64 * (c * 8))) << row << ' ' << c;
  }
}

}  // namespace
}  // namespace warpledger::exec
