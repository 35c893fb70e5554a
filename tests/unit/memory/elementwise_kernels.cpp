#include "tests/unit/memory/kernels.h"

namespace warpledger::memory {
namespace {

struct Stream {
  uint32_t ctas, threads;
  int64_t elements;
  int inputs;
  bool output = true;
  uint8_t width = 4;      // per element
  bool in_place = false;  // the output is the last input
  bool past_l1 = false;   // loads compiled with .cg
  int64_t offset = 0;     // of the reads, in elements
};

/// out[i] = f(in0[i + offset], in1[...], ...), one thread per element.
Kernel stream(const Stream& s) {
  Kernel kernel = line_of(s.ctas, s.threads);
  Synthetic& g = *kernel;
  std::vector<std::pair<uint32_t, int64_t>> inputs;
  for (int i = 0; i < s.inputs; ++i) {
    const uint32_t site =
        g.site({.cache = s.past_l1 ? trace::CacheOperator::kGlobal : trace::CacheOperator::kDefault,
                .width = s.width});
    inputs.emplace_back(site, g.array(s.elements * s.width));
  }
  const uint32_t st = g.store(s.width);
  const int64_t out = s.in_place ? inputs.back().second : g.array(s.elements * s.width);
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto element = [=](int64_t t) { return cta.x * s.threads + t; };
    for (const auto& [site, start] : inputs) {
      e.at(site, [&, base = start](int64_t t) {
        const int64_t i = element(t) + s.offset;
        return i < s.elements ? base + i * s.width : kOff;
      });
    }
    e.use();
    if (!s.output) return;
    e.at(st, [&](int64_t t) {
      return element(t) + s.offset < s.elements ? out + element(t) * s.width : kOff;
    });
  });
  return kernel;
}

/// One 16-byte load and four scalar stores per thread.
Kernel vector_load_scalar_stores(uint32_t ctas, uint32_t threads) {
  Kernel kernel = line_of(ctas, threads);
  Synthetic& g = *kernel;
  const int64_t bytes = int64_t{ctas} * threads * 16;
  const int64_t in = g.array(bytes), out = g.array(bytes);
  const uint32_t ld = g.load(16);
  const std::array<uint32_t, 4> st = {g.store(), g.store(), g.store(), g.store()};
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const int64_t first = cta.x * threads;
    e.rigid(ld, [=](int64_t t) { return in + (first + t) * 16; });
    e.use();
    for (int64_t i = 0; i < 4; ++i) {
      e.rigid(st[static_cast<size_t>(i)],
              [=](int64_t t) { return out + (first + t) * 16 + i * 4; });
    }
  });
  return kernel;
}

Kernel through_shared() {
  Kernel kernel = line_of(32768, 1024);
  Synthetic& g = *kernel;
  const int64_t in = g.array(int64_t{1} << 27), out = g.array(int64_t{1} << 27);
  const uint32_t ld = g.load(), st = g.store(), ss = g.shared_store(), sl = g.shared_load();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    e.rigid(ld, [=](int64_t t) { return in + (cta.x * 1024 + t) * 4; });
    e.use();
    e.rigid(ss, [](int64_t t) { return t * 4; });
    e.barrier();
    e.rigid(sl, [](int64_t t) { return t * 4; });
    e.rigid(st, [=](int64_t t) { return out + (cta.x * 1024 + t) * 4; });
  });
  return kernel;
}

/// Pairs {x, y}: two loads and two stores; interleaved (lane stride 8) or in two arrays.
Kernel pairs(bool interleaved) {
  Kernel kernel = line_of(8192, 512);
  Synthetic& g = *kernel;
  const int64_t n = 4194304, in = g.array(n * 8), out = g.array(n * 8);
  const uint32_t lx = g.load(), ly = g.load(), sx = g.store(), sy = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto x = [=](int64_t t) { return (cta.x * 512 + t) * (interleaved ? 8 : 4); };
    const int64_t y = interleaved ? 4 : n * 4;
    e.rigid(lx, [=](int64_t t) { return in + x(t); });
    e.use();
    e.rigid(sx, [=](int64_t t) { return out + x(t); });
    e.rigid(ly, [=](int64_t t) { return in + x(t) + y; });
    e.use();
    e.rigid(sy, [=](int64_t t) { return out + x(t) + y; });
  });
  return kernel;
}

/// C = A + B over n elements; element j of thread g, or kOff.
Kernel add_per_thread(Kernel kernel, int64_t bytes, int64_t per_thread, bool waits,
                      int64_t (*element)(const Cta&, int64_t t, int64_t j)) {
  Synthetic& g = *kernel;
  const int64_t a = g.array(bytes), b = g.array(bytes), c = g.array(bytes);
  const uint32_t la = g.load(), lb = g.load(), sc = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto in = [&](int64_t base, int64_t t, int64_t j) {
      const int64_t i = element(cta, t, j);
      return i == kOff ? kOff : base + i * 4;
    };
    for (int64_t j = 0; j < per_thread; ++j) {
      e.at(la, [&](int64_t t) { return in(a, t, j); });
      e.at(lb, [&](int64_t t) { return in(b, t, j); });
      if (!waits) continue;
      e.use();
      e.at(sc, [&](int64_t t) { return in(c, t, j); });
    }
    if (waits) return;
    e.use();
    for (int64_t j = 0; j < per_thread; ++j) e.at(sc, [&](int64_t t) { return in(c, t, j); });
  });
  return kernel;
}

template <int64_t kPer>
int64_t element_2d(const Cta& cta, int64_t t, int64_t j) {
  const int64_t x = (cta.x * 16 + t % 16) * kPer, y = cta.y * 16 + t / 16;
  return x < 1000 && y < 1000 && x + j < 1000 ? y * 1000 + x + j : kOff;
}

template <int64_t kPer>
Kernel add_2d() {
  const auto gx = static_cast<uint32_t>((1000 + 16 * kPer - 1) / (16 * kPer));
  return add_per_thread(std::make_unique<Synthetic>(std::array<uint32_t, 3>{gx, 63, 1},
                                                    std::array<uint32_t, 3>{16, 16, 1}),
                        4000000, kPer, true, element_2d<kPer>);
}

Kernel add_blocked() {
  return add_per_thread(line_of(977, 256), 4000000, 4, true,
                        [](const Cta& cta, int64_t t, int64_t j) {
                          const int64_t g = cta.x * 256 + t;
                          return 4 * g + 3 < 1000000 ? 4 * g + j : kOff;
                        });
}

Kernel add_striped() {
  return add_per_thread(
      line_of(977, 256), 4002000, 4, true,
      [](const Cta& cta, int64_t t, int64_t j) { return cta.x * 256 + t + j * 250112; });
}

/// Triton: rows w, w + 32, w + 64, w + 96 of a 128 x 128 tile, 16 bytes per lane.
Kernel triton_silu() {
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{64, 64, 1},
                                              std::array<uint32_t, 3>{1024, 1, 1});
  Synthetic& g = *kernel;
  const int64_t bytes = int64_t{8192} * 8192 * 4, in = g.array(bytes), out = g.array(bytes);
  const uint32_t ld = g.load(16), st = g.store(16);
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto place = [=](int64_t t, int64_t j) {
      return ((cta.x * 128 + t / 32 + 32 * j) * 8192 + cta.y * 128 + 4 * (t % 32)) * 4;
    };
    for (int64_t j = 0; j < 4; ++j) e.rigid(ld, [=](int64_t t) { return in + place(t, j); });
    e.use();
    for (int64_t j = 0; j < 4; ++j) e.rigid(st, [=](int64_t t) { return out + place(t, j); });
  });
  return kernel;
}

Kernel upsample_nearest() {
  Kernel kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{64, 64, 1},
                                              std::array<uint32_t, 3>{32, 32, 1});
  Synthetic& g = *kernel;
  const int64_t in = g.array(1024 * 1024 * 4), out = g.array(2048 * 2048 * 4);
  const uint32_t ld = g.load(), st = g.store();
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto ox = [=](int64_t t) { return cta.x * 32 + t % 32; };
    const auto oy = [=](int64_t t) { return cta.y * 32 + t / 32; };
    e.rigid(ld, [=](int64_t t) { return in + (oy(t) / 2 * 1024 + ox(t) / 2) * 4; });
    e.use();
    e.rigid(st, [=](int64_t t) { return out + (oy(t) * 2048 + ox(t)) * 4; });
  });
  return kernel;
}

Kernel upsample_scatter() {
  Kernel kernel = line_of(4096, 256);
  Synthetic& g = *kernel;
  const int64_t in = g.array(1024 * 1024 * 4), out = g.array(2048 * 2048 * 4);
  const uint32_t ld = g.load(), s0 = g.store(8), s1 = g.store(8);
  g.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    const auto i = [=](int64_t t) { return cta.x * 256 + t; };
    const auto to = [=](int64_t t, int64_t row) {
      return out + ((2 * (i(t) / 1024) + row) * 1024 + i(t) % 1024) * 8;
    };
    e.rigid(ld, [=](int64_t t) { return in + i(t) * 4; });
    e.use();
    e.rigid(s0, [=](int64_t t) { return to(t, 0); });
    e.rigid(s1, [=](int64_t t) { return to(t, 1); });
  });
  return kernel;
}

constexpr int64_t k32M = 33554432, k16M = 16777216, k1M = 1048576;

constexpr Stream kRelu = {32768, 1024, k32M, 1};
constexpr Stream kMultiply = {65536, 512, k32M, 3};
constexpr Stream kDaxpy = {
    .ctas = 16384, .threads = 256, .elements = 4194304, .inputs = 2, .width = 8, .in_place = true};
constexpr Stream kVectorAdd = {4096, 256, k1M, 2};
constexpr Stream kAddAligned = {
    .ctas = 32768, .threads = 512, .elements = k16M, .inputs = 2, .past_l1 = true};
constexpr Stream kAddShifted = {
    .ctas = 32768, .threads = 512, .elements = k16M, .inputs = 2, .past_l1 = true, .offset = 128};
constexpr Stream kFillHalf = {
    .ctas = 65536, .threads = 256, .elements = k16M, .inputs = 0, .width = 2};
constexpr Stream kMatrixAdd = {3907, 256, 1000000, 2};

template <const Stream& kStream>
Kernel stream_of() {
  return stream(kStream);
}
template <bool kInterleaved>
Kernel pairs_of() {
  return pairs(kInterleaved);
}
template <uint32_t kCtas, uint32_t kThreads>
Kernel vector_load_of() {
  return vector_load_scalar_stores(kCtas, kThreads);
}

}  // namespace

std::vector<Case> elementwise_cases() {
  return {
      {"rtx3080_relu_scalar", "rtx3080", stream_of<kRelu>, true},
      {"rtx3080_relu_float4_load_scalar_store", "rtx3080", vector_load_of<8192, 1024>, true},
      {"rtx3080_relu_scalar_via_smem", "rtx3080", through_shared, true},
      {"rtx3080_mul3_scalar", "rtx3080", stream_of<kMultiply>, true},
      {"rtx3070_daxpy_fp64", "rtx3070", stream_of<kDaxpy>, true},
      {"gtx1660s_vec_add", "gtx1660s", stream_of<kVectorAdd>},
      {"rtx4090_vadd_read_offset0", "rtx4090", stream_of<kAddAligned>, true},
      {"rtx4090_vadd_read_offset128", "rtx4090", stream_of<kAddShifted>, true},
      {"rtx4090_aos_xy_add", "rtx4090", pairs_of<true>, true},
      {"rtx4090_soa_xy_add", "rtx4090", pairs_of<false>, true},
      {"t4_fill_half", "t4", stream_of<kFillHalf>, true},
      {"t4_matadd_1d_1_per_thread", "t4", stream_of<kMatrixAdd>},
      {"t4_matadd_1d_striped4", "t4", add_striped},
      {"t4_matadd_1d_blocked4", "t4", add_blocked},
      {"t4_matadd_2d_1_per_thread", "t4", add_2d<1>},
      {"t4_matadd_2d_2_per_thread", "t4", add_2d<2>},
      {"t4_matadd_2d_4_per_thread", "t4", add_2d<4>},
      {"t4_matadd_2d_8_per_thread", "t4", add_2d<8>},
      {"h100pcie_silu_float4_load", "h100-pcie", vector_load_of<65536, 256>, true},
      {"gh200_triton_silu_128x128", "gh200", triton_silu, true},
      {"rtx3080_upsample_nearest_2d", "rtx3080", upsample_nearest},
      {"rtx3080_upsample_scatter_float2", "rtx3080", upsample_scatter},
  };
}

}  // namespace warpledger::memory
