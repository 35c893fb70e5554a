#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

constexpr int64_t kSide = 2048, kTaps = 11, kImages = 16;

/// 11 x 11 taps from global memory, out-of-range taps skipped, weights from constant memory.
Kernel convolution() {
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{128, 128, kImages},
                                              std::array<uint32_t, 3>{16, 16, 1});
  Synthetic& g = *kernel;
  const int64_t bytes = kImages * kSide * kSide * 4;
  const int64_t in = g.array(bytes), weights = g.array(kTaps * kTaps * 4), out = g.array(bytes);
  const uint32_t ld = g.load(), lw = g.load(), st = g.store();
  g.run_body(kTaps * kTaps + 1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto row = [=](int64_t t) { return cta.y * 16 + t / 16; };
    const auto col = [=](int64_t t) { return cta.x * 16 + t % 16; };
    const int64_t image = cta.z * kSide * kSide;
    if (step == kTaps * kTaps) {
      return e.rigid(st, [=](int64_t t) { return out + (image + row(t) * kSide + col(t)) * 4; });
    }
    const int64_t dr = step / kTaps - kTaps / 2, dc = step % kTaps - kTaps / 2;
    const auto tap = [=](int64_t t) {
      const int64_t r = row(t) + dr, c = col(t) + dc;
      return r >= 0 && r < kSide && c >= 0 && c < kSide ? in + (image + r * kSide + c) * 4 : kOff;
    };
    const bool edge = cta.x == 0 || cta.y == 0 || cta.x == 127 || cta.y == 127;
    const auto weight = [=](int64_t t) { return tap(t) == kOff ? kOff : weights + step * 4; };
    if (edge) {
      e.at(ld, tap);
      e.at(lw, weight);
    } else {
      e.rigid(ld, tap);
      e.rigid(lw, weight);
    }
    e.use();
  });
  return kernel;
}

/// state_out = state_init + dt * tend over 4 variables; states with a halo, tend without.
Kernel apply_tendency() {
  constexpr int64_t nx = 9192, nz = 4096, vars = 4, total = nx * nz * vars;
  constexpr int64_t threads = int64_t{65535} * 128;
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{65535, 1, 1},
                                              std::array<uint32_t, 3>{128, 1, 1});
  Synthetic& g = *kernel;
  const int64_t state = (nx + 4) * (nz + 4) * vars * 8;
  const int64_t from = g.array(state), tend = g.array(total * 8), to = g.array(state);
  const uint32_t ls = g.load(8), lt = g.load(8), st = g.store(8);
  const auto rounds = static_cast<uint32_t>((total + threads - 1) / threads);
  g.run_body(rounds, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
    const auto n = [=](int64_t t) { return step * threads + cta.x * 128 + t; };
    const auto in_state = [=](int64_t t) {
      const int64_t i = n(t) % nx, k = n(t) / nx % nz, var = n(t) / nx / nz;
      return ((var * (nz + 4) + k + 2) * (nx + 4) + i + 2) * 8;
    };
    e.at(ls, [&](int64_t t) { return n(t) < total ? from + in_state(t) : kOff; });
    e.at(lt, [&](int64_t t) { return n(t) < total ? tend + n(t) * 8 : kOff; });
    e.use();
    e.at(st, [&](int64_t t) { return n(t) < total ? to + in_state(t) : kOff; });
  });
  return kernel;
}

/// Two columns at each end of every row into contiguous buffers.
Kernel pack_halo() {
  constexpr int64_t nx = 9192, nz = 4096, vars = 4;
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{256, 1, 1},
                                              std::array<uint32_t, 3>{128, 1, 1});
  Synthetic& g = *kernel;
  const int64_t state = g.array((nx + 4) * (nz + 4) * vars * 8);
  const int64_t left = g.array(2 * nz * vars * 8), right = g.array(2 * nz * vars * 8);
  const uint32_t ll = g.load(8), sl = g.store(8), lr = g.load(8), sr = g.store(8);
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto n = [=](int64_t t) { return cta.x * 128 + t; };
    const auto row = [=](int64_t t) { return n(t) / 2 / nz * (nz + 4) + n(t) / 2 % nz + 2; };
    const auto cell = [=](int64_t t, int64_t i) {
      return state + (row(t) * (nx + 4) + i + n(t) % 2) * 8;
    };
    e.at(ll, [&](int64_t t) { return cell(t, 2); });
    e.use();
    e.at(sl, [&](int64_t t) { return left + n(t) * 8; });
    e.at(lr, [&](int64_t t) { return cell(t, nx); });
    e.use();
    e.at(sr, [&](int64_t t) { return right + n(t) * 8; });
  });
  return kernel;
}

}  // namespace

std::vector<Case> stencil_cases() {
  std::vector<Case> cases;
  cases.push_back({"a100_conv2d_coalesced", "a100-40", convolution, true});
  cases.push_back({"v100_miniweather_apply_tend", "v100", apply_tendency, true});
  cases.push_back({"v100_miniweather_pack_halo", "v100", pack_halo});
  return cases;
}

}  // namespace warpledger::memory
