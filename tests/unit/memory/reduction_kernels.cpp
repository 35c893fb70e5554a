#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

/// Every thread adds a product to one address.
Kernel dot_atomic(uint32_t ctas, uint32_t threads) {
  Kernel kernel = line_of(ctas, threads);
  Synthetic& g = *kernel;
  const int64_t bytes = int64_t{ctas} * threads * 4;
  const int64_t a = g.array(bytes), b = g.array(bytes), sum = g.array(4);
  const uint32_t la = g.load(), lb = g.load();
  const uint32_t red = g.site({.kind = trace::Kind::kReduction, .floating = true});
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    e.rigid(la, [=](int64_t t) { return a + (cta.x * threads + t) * 4; });
    e.rigid(lb, [=](int64_t t) { return b + (cta.x * threads + t) * 4; });
    e.use();
    e.rigid(red, [=](int64_t) { return sum; });
  });
  return kernel;
}

/// Shared tree over 256 threads; `inputs` loads each, at the distance given.
struct Tree {
  uint32_t ctas;
  int inputs;
  int64_t per_cta;   // elements of one array that a CTA covers
  int64_t distance;  // 0: the inputs are separate arrays
};

Kernel tree(const Tree& s) {
  Kernel kernel = line_of(s.ctas, 256);
  Synthetic& g = *kernel;
  const int64_t bytes = int64_t{s.ctas} * s.per_cta * 4;
  std::vector<int64_t> arrays;
  std::vector<uint32_t> ld;
  for (int i = 0; i < s.inputs; ++i) {
    arrays.push_back(s.distance && i ? arrays[0] + i * s.distance * 4 : g.array(bytes));
    ld.push_back(g.load());
  }
  const int64_t out = g.array(int64_t{s.ctas} * 4);
  const uint32_t ss = g.shared_store(), sx = g.shared_load(), sy = g.shared_load(),
                 sw = g.shared_store(), sr = g.shared_load(), st = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    for (size_t i = 0; i < ld.size(); ++i) {
      e.rigid(ld[i], [&](int64_t t) { return arrays[i] + (cta.x * s.per_cta + t) * 4; });
    }
    e.use();
    e.rigid(ss, [](int64_t t) { return t * 4; });
    e.barrier();
    for (int64_t stride = 128; stride > 0; stride /= 2) {
      const auto own = [=](int64_t t) { return t < stride ? t * 4 : kOff; };
      e.at(sx, [=](int64_t t) { return t < stride ? (t + stride) * 4 : kOff; });
      e.at(sy, own);
      e.at(sw, own);
      e.barrier();
    }
    e.at(sr, [](int64_t t) { return t == 0 ? 0 : kOff; });
    e.at(st, [=](int64_t t) { return t == 0 ? out + cta.x * 4 : kOff; });
  });
  return kernel;
}

/// In place, in global memory, over 128 elements.
Kernel in_global(bool interleaved) {
  Kernel kernel = line_of(524288, 128);
  Synthetic& g = *kernel;
  const int64_t data = g.array(int64_t{524288} * 512), out = g.array(524288 * 4);
  const uint32_t lx = g.load(), ly = g.load(), sx = g.store(), lr = g.load(), st = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const int64_t base = data + cta.x * 512;
    for (int64_t i = 0; i < 7; ++i) {
      const int64_t stride = interleaved ? 64 >> i : 1 << i;
      const auto on = [=](int64_t t) { return interleaved ? t < stride : t % (2 * stride) == 0; };
      e.at(lx, [=](int64_t t) { return on(t) ? base + (t + stride) * 4 : kOff; });
      e.at(ly, [=](int64_t t) { return on(t) ? base + t * 4 : kOff; });
      e.use();
      e.at(sx, [=](int64_t t) { return on(t) ? base + t * 4 : kOff; });
      e.barrier();
    }
    e.at(lr, [=](int64_t t) { return t == 0 ? base : kOff; });
    e.use();
    e.at(st, [=](int64_t t) { return t == 0 ? out + cta.x * 4 : kOff; });
  });
  return kernel;
}

/// 256 inputs per thread at stride 256, then shuffles and 8 warp sums in shared memory.
Kernel shuffled() {
  Kernel kernel = line_of(512, 256);
  Synthetic& g = *kernel;
  const int64_t in = g.array(int64_t{1} << 27), out = g.array(2048);
  const uint32_t ld = g.load(), ss = g.shared_store(), sl = g.shared_load(), st = g.store();
  g.run_body(65, [=](Emitter& e, const Cta& cta, uint32_t warp, uint32_t step) {
    if (step < 64) {
      for (int64_t i = step * 4; i < step * 4 + 4; ++i) {
        e.rigid(ld, [=](int64_t t) { return in + (cta.x * 65536 + i * 256 + t) * 4; });
      }
      return e.use();
    }
    e.at(ss, [](int64_t t) { return t % 32 == 0 ? t / 32 * 4 : kOff; });
    e.barrier();
    if (warp > 0) return;
    e.at(sl, [](int64_t t) { return t < 8 ? t * 4 : kOff; });
    e.at(st, [=](int64_t t) { return t == 0 ? out + cta.x * 4 : kOff; });
  });
  return kernel;
}

/// A row per CTA in two passes of 16-byte vectors; the weights by four scalar loads per vector.
Kernel rmsnorm() {
  Kernel kernel = line_of(8192, 256);
  Synthetic& g = *kernel;
  const int64_t bytes = int64_t{8192} * 8192 * 4;
  const int64_t in = g.array(bytes), weight = g.array(8192 * 4), out = g.array(bytes);
  const uint32_t l1 = g.load(16), l2 = g.load(16), lw = g.load(), st = g.store(16);
  g.run_body(10, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto at = [=](int64_t t, int64_t i) { return (cta.x * 2048 + i * 256 + t) * 16; };
    if (step < 2) {
      for (int64_t i = step * 4; i < step * 4 + 4; ++i) {
        e.rigid(l1, [=](int64_t t) { return in + at(t, i); });
      }
      e.use();
      if (step == 1) e.barrier();
      return;
    }
    const int64_t i = step - 2;
    e.rigid(l2, [=](int64_t t) { return in + at(t, i); });
    for (int64_t j = 0; j < 4; ++j) {
      e.rigid(lw, [=](int64_t t) { return weight + (i * 256 + t) * 16 + j * 4; });
    }
    e.use();
    e.rigid(st, [=](int64_t t) { return out + at(t, i); });
  });
  return kernel;
}

}  // namespace

std::vector<Case> reduction_cases() {
  std::vector<Case> cases;
  cases.push_back(
      {"gtx1660s_dot_atomic_per_thread", "gtx1660s", [] { return dot_atomic(4096, 256); }});
  cases.push_back(
      {"rtx3080_dot_atomic_per_thread", "rtx3080", [] { return dot_atomic(65536, 512); }, true});
  cases.push_back({"gtx1660s_dot_block_smem", "gtx1660s",
                   [] {
                     return tree({4096, 2, 256, 0});
                   },
                   true});
  cases.push_back({"rtx3080_reduce_v3_two_loads", "rtx3080",
                   [] {
                     return tree({65536, 2, 512, 256});
                   },
                   true});
  cases.push_back({"rtx3080_reduce_v7_shuffle", "rtx3080", shuffled, true});
  cases.push_back(
      {"rtx3060l_reduce_neighbored_gmem", "rtx3060-laptop", [] { return in_global(false); }, true});
  cases.push_back(
      {"rtx3060l_reduce_interleaved_gmem", "rtx3060-laptop", [] { return in_global(true); }, true});
  cases.push_back({"h100pcie_rmsnorm_row_float4", "h100-pcie", rmsnorm, true});
  return cases;
}

}  // namespace warpledger::memory
