// Products whose warps share data through the L1 alone: each of a block's 2 x 4 warps copies its
// own tiles of A and B, 16 rows each a step. Rates are steady after the first waves, so that few
// rows of blocks are enough.
#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

struct Tiles {
  int64_t n = 0, steps = 0;  // columns of the product; k steps
  int64_t block_rows = 0;
  bool transposed = false;  // rows of B's tiles are columns of the product, not k
  bool meet = false;        // at a barrier in each step
  int64_t row_bytes = 32;   // of a tile

  [[nodiscard]] int64_t pitch_a() const { return steps * row_bytes; }
  [[nodiscard]] int64_t pitch_b() const { return transposed ? pitch_a() : n * 2; }
  [[nodiscard]] int64_t bytes_b() const { return (transposed ? n : steps * 16) * pitch_b(); }
  [[nodiscard]] int64_t from_b(int64_t step, int64_t column, int64_t row) const {
    return transposed ? (column + row) * pitch_b() + step * row_bytes
                      : (step * 16 + row) * pitch_b() + column * 2;
  }
};

/// 16 bytes a lane; row(r) is where the tile's row r begins.
template <class Row>
void copy_tile(Emitter& e, uint32_t site, int64_t row_bytes, Row row) {
  const int64_t lanes = row_bytes / 16;  // of a row
  e.at(site, [=](int64_t t) {
    const int64_t lane = t % 32;
    return lane / lanes < 16 ? row(lane / lanes) + lane % lanes * 16 : kOff;
  });
}

/// A warp's 16 x 16 sums; `tile` is where they begin.
void store_tile(Emitter& e, uint32_t site, int64_t tile, int64_t pitch) {
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t down = i / 2 % 2 * 8, right = i / 4 * 8 + i % 2;
    e.rigid(site, [=](int64_t t) {
      const int64_t lane = t % 32;
      return tile + (lane / 4 + down) * pitch + (lane % 4 * 2 + right) * 4;
    });
  }
}

Kernel private_tiles(const Tiles& s) {
  const std::array<uint32_t, 3> grid = {static_cast<uint32_t>(s.n / 64),
                                        static_cast<uint32_t>(s.block_rows), 1};
  auto kernel = std::make_unique<Synthetic>(grid, std::array<uint32_t, 3>{256, 1, 1});
  Synthetic& g = *kernel;
  const int64_t a = g.array(s.block_rows * 32 * s.pitch_a()), b = g.array(s.bytes_b()),
                c = g.array(s.block_rows * 32 * s.n * 4);
  const uint32_t la = g.load(16), lb = g.load(16), sc = g.store();
  const auto steps = static_cast<uint32_t>(s.steps);
  g.run_body(steps + 1, [=](Emitter& e, const Cta& cta, uint32_t warp, uint32_t step) {
    const int64_t row = cta.y * 32 + warp / 4 * 16, column = cta.x * 64 + warp % 4 * 16;
    if (step == steps) return store_tile(e, sc, c + (row * s.n + column) * 4, s.n * 4);
    const int64_t from_a = a + row * s.pitch_a() + step * s.row_bytes;
    copy_tile(e, la, s.row_bytes, [=](int64_t r) { return from_a + r * s.pitch_a(); });
    copy_tile(e, lb, s.row_bytes, [=](int64_t r) { return b + s.from_b(step, column, r); });
    e.use();
    if (s.meet) e.barrier();
  });
  return kernel;
}

}  // namespace

std::vector<Case> tile_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, Kernel (*make)()) {
    cases.push_back({name, "l4", make, true});
  };
  add("l4_fp16_ptx_mma_512_b1", [] { return private_tiles({512, 32, 16}); });
  add("l4_fp16_ptx_mma_8192_b4", [] { return private_tiles({8192, 512, 4}); });
  add("l4_fp16_ptx_fp16acc_8192_b4", [] { return private_tiles({8192, 512, 4}); });
  add("l4_int4_mma_3stage_512_b4", [] { return private_tiles({512, 8, 64, true}); });
  add("l4_int4_mma_3stage_4096_b4", [] { return private_tiles({4096, 64, 32, true}); });
  add("l4_int4_mma_k64_ca_4096_b4", [] { return private_tiles({4096, 64, 32, true, true}); });
  add("l4_int8_mma_k32_512_b4", [] { return private_tiles({512, 16, 64, true, true}); });
  add("l4_int8_mma_k32_2048_b4", [] { return private_tiles({2048, 64, 64, true, true}); });
  add("l4_int8_wmma_4096_b4", [] { return private_tiles({4096, 256, 16, true, false, 16}); });
  return cases;
}

}  // namespace warpledger::memory
