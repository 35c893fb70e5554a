#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

struct Sizes {
  int64_t m, n, k;
};

Kernel grid_of(uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by) {
  return std::make_unique<Synthetic>(std::array<uint32_t, 3>{gx, gy, 1},
                                     std::array<uint32_t, 3>{bx, by, 1});
}

/// One thread per output, four k steps per batch; `bx` threads along the columns.
Kernel naive(Sizes s, int64_t bx, int64_t by) {
  Kernel kernel = grid_of(static_cast<uint32_t>((s.n + bx - 1) / bx),
                          static_cast<uint32_t>((s.m + by - 1) / by), static_cast<uint32_t>(bx),
                          static_cast<uint32_t>(by));
  Synthetic& g = *kernel;
  const int64_t a = g.array(s.m * s.k * 4), b = g.array(s.k * s.n * 4), c = g.array(s.m * s.n * 4);
  const uint32_t la = g.load(), lb = g.load(), sc = g.store();
  const auto steps = static_cast<uint32_t>(s.k / 4);
  g.run_body(steps + 1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto row = [=](int64_t t) { return cta.y * by + t / bx; };
    const auto col = [=](int64_t t) { return cta.x * bx + t % bx; };
    const auto in = [=](int64_t t, int64_t place) {
      return row(t) < s.m && col(t) < s.n ? place : kOff;
    };
    const bool edge = (cta.x + 1) * bx > s.n || (cta.y + 1) * by > s.m;
    if (step == steps) {
      return e.at(sc, [=](int64_t t) { return in(t, c + (row(t) * s.n + col(t)) * 4); });
    }
    for (int64_t k = step * 4; k < step * 4 + 4; ++k) {
      const auto from_a = [=](int64_t t) { return in(t, a + (row(t) * s.k + k) * 4); };
      const auto from_b = [=](int64_t t) { return in(t, b + (k * s.n + col(t)) * 4); };
      if (edge) {
        e.at(la, from_a);
        e.at(lb, from_b);
      } else {
        e.rigid(la, from_a);
        e.rigid(lb, from_b);
      }
    }
    e.use();
  });
  return kernel;
}

/// Run-time tile depth: As[by][tk] then Bs[tk][bx] in shared memory.
Kernel tiled_dynamic(int64_t bx, int64_t by, int64_t tk) {
  const Sizes s{4000, 3000, 2000};
  Kernel kernel =
      grid_of(static_cast<uint32_t>((s.n + bx - 1) / bx), static_cast<uint32_t>(s.m / by),
              static_cast<uint32_t>(bx), static_cast<uint32_t>(by));
  Synthetic& g = *kernel;
  const int64_t a = g.array(s.m * s.k * 4), b = g.array(s.k * s.n * 4), c = g.array(s.m * s.n * 4);
  const uint32_t la = g.load(), lb = g.load(), sc = g.store();
  const auto steps = static_cast<uint32_t>((s.k + tk - 1) / tk);
  g.run_body(steps + 1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto row = [=](int64_t t) { return cta.y * by + t / bx; };
    const auto col = [=](int64_t t) { return cta.x * bx + t % bx; };
    if (step == steps) {
      return e.at(sc,
                  [=](int64_t t) { return col(t) < s.n ? c + (row(t) * s.n + col(t)) * 4 : kOff; });
    }
    const int64_t k0 = int64_t{step} * tk;
    for (int64_t kk = 0; kk < tk; kk += bx) {
      e.at(la, [=](int64_t t) {
        const int64_t k = k0 + kk + t % bx;
        return k < s.k ? a + (row(t) * s.k + k) * 4 : kOff;
      });
      e.use();
    }
    for (int64_t kk = 0; kk < tk; kk += by) {
      e.at(lb, [=](int64_t t) {
        const int64_t k = k0 + kk + t / bx;
        return k < s.k && col(t) < s.n ? b + (k * s.n + col(t)) * 4 : kOff;
      });
      e.use();
    }
    e.barrier();
    e.barrier();
  });
  return kernel;
}

/// Square tiles, one element per thread and tile.
Kernel tiled_square(int64_t tile) {
  const int64_t n = 1024;
  const auto ctas = static_cast<uint32_t>(n / tile), side = static_cast<uint32_t>(tile);
  Kernel kernel = grid_of(ctas, ctas, side, side);
  Synthetic& g = *kernel;
  const int64_t a = g.array(n * n * 4), b = g.array(n * n * 4), c = g.array(n * n * 4);
  const uint32_t la = g.load(), lb = g.load(), sc = g.store(), sa = g.shared_store(),
                 sb = g.shared_store(), ra = g.shared_load(16), rb = g.shared_load();
  g.run_body(ctas + 1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto tx = [=](int64_t t) { return t % tile; };
    const auto ty = [=](int64_t t) { return t / tile; };
    if (step == ctas) {
      return e.rigid(sc, [=](int64_t t) {
        return c + ((cta.y * tile + ty(t)) * n + cta.x * tile + tx(t)) * 4;
      });
    }
    const int64_t k = step * tile;
    e.rigid(la, [=](int64_t t) { return a + ((cta.y * tile + ty(t)) * n + k + tx(t)) * 4; });
    e.rigid(lb, [=](int64_t t) { return b + ((k + ty(t)) * n + cta.x * tile + tx(t)) * 4; });
    e.use();
    e.rigid(sa, [=](int64_t t) { return t * 4; });
    e.rigid(sb, [=](int64_t t) { return tile * tile * 4 + t * 4; });
    e.barrier();
    for (int64_t i = 0; i < tile; i += 4) {  // ptxas reads four of a row at once
      e.rigid(ra, [=](int64_t t) { return (ty(t) * tile + i) * 4; });
      for (int64_t j = i; j < i + 4; ++j) {
        e.rigid(rb, [=](int64_t t) { return (tile * tile + j * tile + tx(t)) * 4; });
      }
    }
    e.barrier();
  });
  return kernel;
}

/// The whole depth of both operands staged once.
Kernel whole_k() {
  const int64_t n = 384;
  Kernel kernel = grid_of(24, 24, 16, 16);
  Synthetic& g = *kernel;
  const int64_t a = g.array(n * n * 4), b = g.array(n * n * 4), c = g.array(n * n * 4);
  const uint32_t la = g.load(), lb = g.load(), sc = g.store();
  g.run_body(24 / 4 + 1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto row = [=](int64_t t) { return cta.y * 16 + t / 16; };
    const auto col = [=](int64_t t) { return cta.x * 16 + t % 16; };
    if (step == 6) {
      e.barrier();
      return e.rigid(sc, [=](int64_t t) { return c + (row(t) * n + col(t)) * 4; });
    }
    for (int64_t k = step * 64; k < step * 64 + 64; k += 16) {
      e.rigid(la, [=](int64_t t) { return a + (row(t) * n + k + t % 16) * 4; });
      e.rigid(lb, [=](int64_t t) { return b + ((k + t / 16) * n + col(t)) * 4; });
    }
    e.use();
  });
  return kernel;
}

/// 32 x 32 x 32 tiles, 16-byte copies; `pairs`: 2 x 2 outputs per thread, else 1 x 4.
Kernel vectorised(bool pairs) {
  const int64_t n = 1024;
  Kernel kernel = grid_of(32, 32, 8, 32);
  Synthetic& g = *kernel;
  const int64_t a = g.array(n * n * 4), b = g.array(n * n * 4), c = g.array(n * n * 4);
  const uint32_t la = g.load(16), lb = g.load(16), sc = g.store();
  g.run_body(33, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto tx = [=](int64_t t) { return t % 8; };
    const auto ty = [=](int64_t t) { return t / 8; };
    const auto out = [=](int64_t row, int64_t col) {
      return c + ((cta.y * 32 + row) * n + cta.x * 32 + col) * 4;
    };
    if (step == 32) {
      for (int64_t i = 0; i < 4; ++i) {
        e.rigid(sc, [=](int64_t t) {
          return pairs ? out(2 * (t / 16) + i / 2, 2 * (t % 16) + i % 2)
                       : out(ty(t), 4 * tx(t) + i);
        });
      }
      return;
    }
    const int64_t k = step * 32;
    e.rigid(la, [=](int64_t t) { return a + ((cta.y * 32 + ty(t)) * n + k + 4 * tx(t)) * 4; });
    e.rigid(lb, [=](int64_t t) { return b + ((k + ty(t)) * n + cta.x * 32 + 4 * tx(t)) * 4; });
    e.use();
    e.barrier();
    e.barrier();
  });
  return kernel;
}

/// 1-D blocks of 1024: row = bx * 32 + t / 32, column = by * 32 + t % 32; C is read and written.
Kernel one_dimensional() {
  const int64_t n = 1024;
  Kernel kernel = grid_of(32, 32, 1024, 1);
  Synthetic& g = *kernel;
  const int64_t a = g.array(n * n * 4), b = g.array(n * n * 4), c = g.array(n * n * 4);
  const uint32_t la = g.load(), lb = g.load(), lc = g.load(), sc = g.store();
  g.run_body(257, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto row = [=](int64_t t) { return cta.x * 32 + t / 32; };
    const auto col = [=](int64_t t) { return cta.y * 32 + t % 32; };
    if (step == 256) {
      e.rigid(lc, [=](int64_t t) { return c + (row(t) * n + col(t)) * 4; });
      e.use();
      return e.rigid(sc, [=](int64_t t) { return c + (row(t) * n + col(t)) * 4; });
    }
    for (int64_t k = step * 4; k < step * 4 + 4; ++k) {
      e.rigid(la, [=](int64_t t) { return a + (row(t) * n + k) * 4; });
      e.rigid(lb, [=](int64_t t) { return b + (k * n + col(t)) * 4; });
    }
    e.use();
  });
  return kernel;
}

}  // namespace

std::vector<Case> matmul_cases() {
  std::vector<Case> cases;
  cases.push_back({"rtx3080_sgemm_v0_naive", "rtx3080",
                   [] {
                     return naive({1024, 1024, 1024}, 16, 16);
                   },
                   true});
  cases.push_back({"rtx3080_sgemm_v1_whole_k_in_smem", "rtx3080", whole_k});
  cases.push_back({"rtx3080_sgemm_v2_tile16", "rtx3080", [] { return tiled_square(16); }, true});
  cases.push_back({"rtx3080_sgemm_v2_tile32", "rtx3080", [] { return tiled_square(32); }, true});
  cases.push_back(
      {"rtx3080_sgemm_v4_float4_1x4", "rtx3080", [] { return vectorised(false); }, true});
  cases.push_back({"rtx3080_sgemm_v5_2x2_regs", "rtx3080", [] { return vectorised(true); }, true});
  cases.push_back({"gtx1660s_sgemm_coalesced_1d_block", "gtx1660s", one_dimensional, true});
  cases.push_back({"rtx3090_matmul_naive_4000x3000x2000", "rtx3090",
                   [] {
                     return naive({4000, 3000, 2000}, 16, 16);
                   },
                   true});
  cases.push_back({"rtx3090_tiledmm_dyn_16x16_tk128", "rtx3090",
                   [] { return tiled_dynamic(16, 16, 128); }, true});
  cases.push_back({"rtx3090_tiledmm_dyn_16x16_tk64", "rtx3090",
                   [] { return tiled_dynamic(16, 16, 64); }, true});
  cases.push_back({"rtx3090_tiledmm_dyn_32x16_tk128", "rtx3090",
                   [] { return tiled_dynamic(32, 16, 128); }, true});
  return cases;
}

}  // namespace warpledger::memory
