#include <algorithm>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

TEST(Grids, Stencil1d) {
  Program p("grids.cu", "stencil1d");
  const auto x = p.random<float>(700), out = p.zeros<float>(700);
  p.launch(3, 256, x, out, 700);
  p.expect(
      out,
      [&](size_t i) {
        double s = 0;
        for (size_t k = i < 3 ? 0 : i - 3; k < std::min<size_t>(700, i + 4); ++k) s += x[k];
        return s;
      },
      1e-6);
}
TEST(Grids, Jacobi) {
  Program p("grids.cu", "jacobi");
  const auto x = p.random<float>(40 * 30), out = p.zeros<float>(40 * 30);
  p.launch({3, 2, 1}, {16, 16, 1}, x, out, 40, 30);
  p.expect(out, [&](size_t i) {
    const size_t c = i % 40, r = i / 40;
    return c == 0 || r == 0 || c == 39 || r == 29
               ? x[i]
               : 0.25f * (((x[i - 1] + x[i + 1]) + x[i - 40]) + x[i + 40]);
  });
}
TEST(Grids, Life) {
  Program p("grids.cu", "life");
  const auto x = p.random<uint8_t>(32 * 32, 2), out = p.zeros<uint8_t>(32 * 32);
  p.launch({2, 2, 1}, {16, 16, 1}, x, out, 32, 32);
  p.expect(out, [&](size_t i) {
    int c = 0;
    for (size_t dr = 31; dr <= 33; ++dr)
      for (size_t dc = 31; dc <= 33; ++dc)
        if (dr != 32 || dc != 32) c += x[(i / 32 + dr) % 32 * 32 + (i % 32 + dc) % 32];
    return c == 3 || (c == 2 && x[i] != 0);
  });
}
TEST(Grids, ConvolutionWithDynamicSharedMemory) {
  Program p("grids.cu", "convolve");
  const auto x = p.random<float>(40 * 40), f = p.random<float>(9), out = p.zeros<float>(40 * 40);
  EXPECT_EQ(p.run({3, 3, 1}, {18, 18, 1}, 18 * 18 * 4, x, f, out, 40, 40), "");
  p.expect(
      out,
      [&](size_t i) {
        double s = 0;
        for (int b = -1; b <= 1; ++b)
          for (int a = -1; a <= 1; ++a) {
            const int c = static_cast<int>(i % 40) + a, r = static_cast<int>(i / 40) + b;
            if (c >= 0 && r >= 0 && c < 40 && r < 40)
              s += static_cast<double>(f[static_cast<size_t>((b + 1) * 3 + a + 1)]) *
                   x[static_cast<size_t>(r * 40 + c)];
          }
        return s;
      },
      1e-6);
}
TEST(Grids, BitonicSort) {
  Program p("grids.cu", "bitonic");
  auto x = p.random<int>(512, 10000);
  p.launch(1, 512, x);
  auto sorted = x.before;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(p.after(x), sorted);
}
TEST(Grids, OddEvenSort) {
  Program p("grids.cu", "odd_even");
  auto x = p.random<int>(100, 10000);
  p.launch(1, 64, x, 100);
  auto sorted = x.before;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(p.after(x), sorted);
}
TEST(Grids, RankSort) {
  Program p("grids.cu", "rank_sort");
  const auto x = p.random<int>(200), out = p.zeros<int>(200);
  p.launch(2, 128, x, out, 200);
  auto sorted = x.before;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(p.after(out), sorted);
}
TEST(Grids, NBody) {
  Program p("grids.cu", "nbody");
  const auto q = p.random<float>(128 * 4), f = p.zeros<float>(128 * 3);
  p.launch(2, 64, q, f, 128);
  p.expect(
      f,
      [&](size_t at) {
        const size_t i = at / 3, axis = at % 3;
        double sum = 0;
        for (size_t j = 0; j < 128; ++j) {
          double d[3], r2 = 0.01;
          for (size_t k = 0; k < 3; ++k) d[k] = q[j * 4 + k] - q[i * 4 + k], r2 += d[k] * d[k];
          sum += d[axis] * q[j * 4 + 3] / (r2 * std::sqrt(r2));
        }
        return sum;
      },
      2e-5);
}
TEST(Grids, Mandelbrot) {
  Program p("grids.cu", "mandelbrot");
  const auto out = p.zeros<int>(32 * 24);
  p.launch({2, 3, 1}, {16, 8, 1}, out, 32, 24);
  const auto got = p.after(out);
  int different = 0;  // contraction may move a point across the boundary by one step
  for (size_t at = 0; at < got.size(); ++at) {
    const double cx = -2.0 + 3.0 * static_cast<double>(at % 32) / 32,
                 cy = -1.5 + 3.0 * static_cast<double>(at / 32) / 24;
    double x = 0, y = 0;
    int k = 0;
    while (k < 100 && x * x + y * y < 4) {
      const double t = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = t;
      ++k;
    }
    different += got[at] != k;
  }
  EXPECT_LE(different, 8);
}
TEST(Grids, Softmax) {
  Program p("grids.cu", "softmax");
  const auto x = p.random<float>(3 * 200), out = p.zeros<float>(3 * 200);
  p.launch(3, 64, x, out, 200);
  p.expect(
      out,
      [&](size_t i) {
        double s = 0;
        for (size_t k = i / 200 * 200; k < i / 200 * 200 + 200; ++k)
          s += std::exp(static_cast<double>(x[k]));
        return std::exp(static_cast<double>(x[i])) / s;
      },
      1e-6);
}
TEST(Grids, LayerNorm) {
  Program p("grids.cu", "layer_norm");
  const auto x = p.random<float>(2 * 300), out = p.zeros<float>(2 * 300);
  p.launch(2, 128, x, out, 300);
  p.expect(
      out,
      [&](size_t i) {
        double s = 0, q = 0;
        for (size_t k = i / 300 * 300; k < i / 300 * 300 + 300; ++k)
          s += x[k], q += static_cast<double>(x[k]) * x[k];
        return (x[i] - s / 300) / std::sqrt(q / 300 - s / 300 * s / 300 + 1e-5);
      },
      1e-4);
}
TEST(Grids, Gelu) {
  Program p("grids.cu", "gelu");
  const auto x = p.random<float>(300), out = p.zeros<float>(300);
  p.launch(3, 128, x, out, 300);
  p.expect(
      out,
      [&](size_t i) {
        const double v = x[i] * 6.0 - 3.0;
        return 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
      },
      1e-5);
}
TEST(Grids, Attention) {
  Program p("grids.cu", "attention");
  const auto q = p.random<float>(8 * 32), k = p.random<float>(40 * 32),
             v = p.random<float>(40 * 32), out = p.zeros<float>(8 * 32);
  p.launch(8, 32, q, k, v, out, 40);
  p.expect(
      out,
      [&](size_t at) {
        double sum = 0, weights = 0;
        for (size_t j = 0; j < 40; ++j) {
          double s = 0;
          for (size_t d = 0; d < 32; ++d)
            s += static_cast<double>(q[at / 32 * 32 + d]) * k[j * 32 + d];
          const double w = std::exp(s * 0.17677669);
          weights += w, sum += w * v[j * 32 + at % 32];
        }
        return sum / weights;
      },
      1e-5);
}
TEST(Grids, AsynchronousCopiesInTwoStages) {
  Program p("grids.cu", "async_sum");
  const auto x = p.random<float>(64 * 4 * 5), out = p.zeros<float>(64);
  p.launch(1, 64, x, out, 64 * 5);
  p.expect(
      out,
      [&](size_t t) {
        double s = 0;
        for (size_t tile = 0; tile < 5; ++tile)
          for (size_t e = 0; e < 4; ++e) s += x[(tile * 64 + 63 - t) * 4 + e];
        return s;
      },
      1e-6);
}

}  // namespace
}  // namespace warpledger::exec
