#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

constexpr int64_t kSide = 4096;

Kernel grid_32x16(uint32_t gx) {
  return std::make_unique<Synthetic>(std::array<uint32_t, 3>{gx, 256, 1},
                                     std::array<uint32_t, 3>{32, 16, 1});
}

/// out[iy][ix] or out[ix][iy] = in[iy][ix].
Kernel direct(bool transposed) {
  Kernel kernel = grid_32x16(128);
  Synthetic& g = *kernel;
  const int64_t in = g.array(kSide * kSide * 4), out = g.array(kSide * kSide * 4);
  const uint32_t ld = g.load(), st = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto ix = [=](int64_t t) { return cta.x * 32 + t % 32; };
    const auto iy = [=](int64_t t) { return cta.y * 16 + t / 32; };
    e.rigid(ld, [=](int64_t t) { return in + (iy(t) * kSide + ix(t)) * 4; });
    e.use();
    e.rigid(st, [=](int64_t t) {
      return out + (transposed ? ix(t) * kSide + iy(t) : iy(t) * kSide + ix(t)) * 4;
    });
  });
  return kernel;
}

/// Through a tile of 16 rows of `tiles` x 32 columns, padded by two words.
template <int64_t kTiles>
Kernel through_shared() {
  Kernel kernel = grid_32x16(static_cast<uint32_t>(128 / kTiles));
  Synthetic& g = *kernel;
  const int64_t in = g.array(kSide * kSide * 4), out = g.array(kSide * kSide * 4);
  const uint32_t ld = g.load(), st = g.store(), ss = g.shared_store(), sl = g.shared_load();
  constexpr int64_t kWidth = 32 * kTiles, kPitch = kWidth + 2;
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    for (int64_t i = 0; i < kTiles; ++i) {
      e.rigid(ld, [=](int64_t t) {
        return in + ((cta.y * 16 + t / 32) * kSide + cta.x * kWidth + 32 * i + t % 32) * 4;
      });
    }
    e.use();
    for (int64_t i = 0; i < kTiles; ++i) {
      e.rigid(ss, [=](int64_t t) { return (t / 32 * kPitch + t % 32 + 32 * i) * 4; });
    }
    e.barrier();
    for (int64_t i = 0; i < kTiles; ++i) {
      e.rigid(sl, [=](int64_t t) { return (t % 16 * kPitch + t / 16 + 32 * i) * 4; });
    }
    for (int64_t i = 0; i < kTiles; ++i) {
      e.rigid(st, [=](int64_t t) {
        return out + ((cta.x * kWidth + t / 16 + 32 * i) * kSide + cta.y * 16 + t % 16) * 4;
      });
    }
  });
  return kernel;
}

/// One CTA of 32 x 32: write a shared tile, read it, store; by row or by column, with a pitch.
Kernel tile_once(bool write_row, bool read_row, int64_t pitch) {
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{1, 1, 1},
                                              std::array<uint32_t, 3>{32, 32, 1});
  Synthetic& g = *kernel;
  const int64_t out = g.array(4096);
  const uint32_t ss = g.shared_store(), sl = g.shared_load(), st = g.store();
  g.run_body(1, [=](Emitter& e, const Cta&, uint32_t, uint32_t) {
    const auto place = [=](bool row, int64_t t) {
      return (row ? t / 32 * pitch + t % 32 : t % 32 * pitch + t / 32) * 4;
    };
    e.rigid(ss, [=](int64_t t) { return place(write_row, t); });
    e.barrier();
    e.rigid(sl, [=](int64_t t) { return place(read_row, t); });
    e.rigid(st, [=](int64_t t) { return out + t * 4; });
  });
  return kernel;
}

}  // namespace

std::vector<Case> transpose_cases() {
  std::vector<Case> cases;
  cases.push_back({"rtx4090_copy_2d", "rtx4090", [] { return direct(false); }, true});
  cases.push_back({"rtx4090_transpose_naive", "rtx4090", [] { return direct(true); }, true});
  cases.push_back({"rtx4090_transpose_smem_pad2", "rtx4090", through_shared<1>, true});
  cases.push_back({"rtx4090_transpose_smem_unroll2_pad2", "rtx4090", through_shared<2>, true});
  cases.push_back({"rtx4090_smem_col_col", "rtx4090", [] { return tile_once(false, false, 32); }});
  cases.push_back(
      {"rtx4090_smem_row_col_pad1", "rtx4090", [] { return tile_once(true, false, 33); }});
  cases.push_back({"rtx4090_smem_row_row", "rtx4090", [] { return tile_once(true, true, 32); }});
  return cases;
}

}  // namespace warpledger::memory
