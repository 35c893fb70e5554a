#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

// c[row, col] of a (m x k) by b (k x n), both row-major.
template <class A, class B>
double product(const A& a, const B& b, size_t at, size_t n, size_t k) {
  double sum = 0;
  for (size_t i = 0; i < k; ++i)
    sum += static_cast<double>(a[at / n * k + i]) * static_cast<double>(b[i * n + at % n]);
  return sum;
}

TEST(Matrix, Transpose) {
  Program p("matrix.cu", "transpose");
  const auto in = p.random<float>(64 * 64), out = p.zeros<float>(64 * 64);
  p.launch({2, 2, 1}, {32, 8, 1}, in, out, 64);
  p.expect(out, [&](size_t i) { return in[i % 64 * 64 + i / 64]; });
}
TEST(Matrix, NaiveProduct) {
  Program p("matrix.cu", "matmul_naive");
  const auto a = p.random<float>(30 * 40), b = p.random<float>(40 * 20),
             c = p.zeros<float>(30 * 20);
  p.launch({2, 2, 1}, {16, 16, 1}, a, b, c, 30, 20, 40);
  p.expect(
      c, [&](size_t i) { return product(a, b, i, 20, 40); }, 1e-6);
}
TEST(Matrix, TiledProduct) {
  Program p("matrix.cu", "matmul_tiled");
  const auto a = p.random<float>(48 * 48), b = p.random<float>(48 * 48),
             c = p.zeros<float>(48 * 48);
  p.launch({3, 3, 1}, {16, 16, 1}, a, b, c, 48);
  p.expect(
      c, [&](size_t i) { return product(a, b, i, 48, 48); }, 1e-6);
}
TEST(Matrix, RegisterTiledProduct) {
  Program p("matrix.cu", "matmul_registers");
  const auto a = p.random<float>(64 * 64), b = p.random<float>(64 * 64),
             c = p.zeros<float>(64 * 64);
  p.launch(1, 256, a, b, c, 64);
  p.expect(
      c, [&](size_t i) { return product(a, b, i, 64, 64); }, 1e-6);
}

struct Halves {
  Buffer<uint16_t> bits;
  std::vector<double> values;
};
Halves halves(Program& p, size_t n) {
  Halves result;
  std::vector<uint16_t> bits;
  for (const float v : p.random<float>(n).before) {
    bits.push_back(half_bits(v - 0.5));
    result.values.push_back(half_value(bits.back()));
  }
  result.bits = p.buffer(bits);
  return result;
}
TEST(Matrix, WmmaProduct) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    Program p("matrix.cu", "matmul_wmma", arch);
    const Halves a = halves(p, 32 * 32), b = halves(p, 32 * 32);
    const auto c = p.zeros<float>(32 * 32);
    p.launch({2, 2, 1}, {32, 1, 1}, a.bits, b.bits, c, 32);
    p.expect(
        c,
        [&](size_t i) {  // B is given by columns
          double sum = 0;
          for (size_t k = 0; k < 32; ++k)
            sum += a.values[i / 32 * 32 + k] * b.values[i % 32 * 32 + k];
          return sum;
        },
        1e-5);
  }
}
TEST(Matrix, Int8Product) {
  Program p("matrix.cu", "matmul_int8");
  const auto a = p.random<int8_t>(256, 256), b = p.random<int8_t>(256, 256);
  const auto c = p.zeros<int>(256);
  p.launch(1, 32, a, b, c);
  p.expect(c, [&](size_t i) {
    return 3 + static_cast<int>(product(a, b, i % 16 * 16 + i / 16, 16, 16));
  });
}
TEST(Matrix, Tf32Product) {
  Program p("matrix.cu", "matmul_tf32");
  const auto a = p.random<float>(16 * 8), b = p.random<float>(8 * 16), c = p.zeros<float>(256);
  p.launch(1, 32, a, b, c);
  p.expect(
      c, [&](size_t i) { return product(a, b, i, 16, 8); }, 2e-3);
}
TEST(Matrix, MmaProductFedByLdmatrix) {
  Program p("matrix.cu", "matmul_mma");
  const Halves a = halves(p, 256), b = halves(p, 128);
  const auto c = p.zeros<float>(128);
  p.launch(1, 32, a.bits, b.bits, c);
  p.expect(
      c,
      [&](size_t i) {
        double sum = 1;
        for (size_t k = 0; k < 16; ++k) sum += a.values[i / 8 * 16 + k] * b.values[i % 8 * 16 + k];
        return sum;
      },
      1e-6);
}
TEST(Matrix, DoubleProduct) {
  Program p("matrix.cu", "matmul_double");
  const auto a = p.random<double>(32), b = p.random<double>(32), c = p.zeros<double>(64);
  p.launch(1, 32, a, b, c);
  p.expect(
      c, [&](size_t i) { return product(a, b, i, 8, 4); }, 1e-15);
}
// The seed's Figure 1: lane (row % 8) * 4 + (col % 8) / 2 holds element (row, col), by its formulas
// (1) and (2).
TEST(Matrix, TracerDumpsTheSeedsTable) {
  Program p("matrix.cu", "tracer");
  const auto out = p.zeros<float>(256);
  p.launch({1, 1, 1}, {16, 16, 1}, out);
  p.expect(out, [](size_t at) {
    const size_t lane = at / 8, i = at % 8;
    const size_t row = lane / 4 + (i >> 1 & 1) * 8, col = lane % 4 * 2 + i % 2 + (i >> 2) * 8;
    return static_cast<float>(row * 100 + col);
  });
  int table[16][16];
  const auto values = p.after(out);
  for (size_t at = 0; at < 256; ++at)
    table[static_cast<int>(values[at]) / 100][static_cast<int>(values[at]) % 100] =
        static_cast<int>(at / 8);
  const int first[16] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3};  // R00 of the figure
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 16; ++col) EXPECT_EQ(table[row][col], first[col] + row % 8 * 4);
  }
}
TEST(Matrix, RowMaximaInRegistersEqualThoseThroughSharedMemory) {
  Program p("matrix.cu", "row_maxima");
  const Halves a = halves(p, 256), b = halves(p, 256);
  const auto registers = p.zeros<float>(16), shared = p.zeros<float>(16);
  p.launch(1, 32, a.bits, b.bits, registers, shared);
  EXPECT_EQ(p.after(registers), p.after(shared));
  p.expect(
      shared,
      [&](size_t row) {
        double most = -1e9;
        for (size_t col = 0; col < 16; ++col)
          most = std::fmax(most, product(a.values, b.values, row * 16 + col, 16, 16));
        return most;
      },
      1e-5);
}

}  // namespace
}  // namespace warpledger::exec
