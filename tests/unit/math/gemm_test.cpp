// GEMM against sums by its definition, in double.
#include "interpose/math/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "interpose/math/openblas.h"

namespace warpledger::math {
namespace {

using Values = std::vector<DoubleComplex>;

/// A matrix in memory with rows that must not be accessed, and the values of its elements.
class Held {
 public:
  Held(Type type, int64_t rows, int64_t columns, int64_t ld, std::mt19937& random)
      : bytes_(static_cast<size_t>(std::max<int64_t>(1, ld * columns) * size_of(type)) + 16),
        matrix_{bytes_.data(), type, ld},
        rows_(rows),
        columns_(columns) {
    std::uniform_int_distribution<int> small(-4, 4);
    for (int64_t i = 0; i < ld * columns; ++i) set(i, DoubleComplex(small(random), small(random)));
    before_ = bytes_;
  }
  [[nodiscard]] const Matrix& matrix() const { return matrix_; }
  [[nodiscard]] DoubleComplex at(int64_t i, int64_t j) const {
    DoubleComplex value;
    with_type(matrix_.type, [&](auto one) {
      value = convert<DoubleComplex>(
          static_cast<const decltype(one)*>(matrix_.data)[j * matrix_.ld + i]);
    });
    return value;
  }
  [[nodiscard]] DoubleComplex at(Op op, int64_t i, int64_t j) const {
    if (op == Op::kNone) return at(i, j);
    return op == Op::kAdjoint ? std::conj(at(j, i)) : at(j, i);
  }
  /// Whether all between the columns is as it was.
  [[nodiscard]] bool has_kept_gaps() const {
    const int64_t size = size_of(matrix_.type);
    for (int64_t j = 0; j < columns_; ++j) {
      const size_t from = static_cast<size_t>((j * matrix_.ld + rows_) * size);
      const auto bytes = static_cast<size_t>((matrix_.ld - rows_) * size);
      if (std::memcmp(&bytes_[from], &before_[from], bytes) != 0) return false;
    }
    return true;
  }

 private:
  void set(int64_t i, DoubleComplex value) {
    with_type(matrix_.type, [&](auto one) {
      static_cast<decltype(one)*>(matrix_.data)[i] = convert<decltype(one)>(value);
    });
  }
  std::vector<std::byte> bytes_, before_;
  Matrix matrix_;
  int64_t rows_, columns_;
};

struct Types {
  Type ab, c, accumulate, scale;
};
class GemmOfTypes : public ::testing::TestWithParam<Types> {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "libopenblas.so.0 is not here";
  }
};

std::vector<std::byte> scalar_bytes(Type type, double value) {
  std::vector<std::byte> bytes(16);
  with_type(type, [&](auto one) {
    one = convert<decltype(one)>(value);
    std::memcpy(bytes.data(), &one, sizeof one);
  });
  return bytes;
}

// Small whole numbers: every type has the sums exactly.
TEST_P(GemmOfTypes, IsItsDefinitionForAllShapesAndTransposes) {
  const auto [ab, c_type, accumulate, scale] = GetParam();
  std::mt19937 random(7);
  std::uniform_int_distribution<int> side(0, 6), gap(0, 3), op(0, 2);
  for (int turn = 0; turn < 200; ++turn) {
    const int64_t m = side(random), n = side(random), k = side(random);
    const Op a_op = Op(op(random)), b_op = Op(op(random));
    const bool a_straight = a_op == Op::kNone, b_straight = b_op == Op::kNone;
    const int64_t a_rows = a_straight ? m : k, b_rows = b_straight ? k : n;
    const Held a(ab, a_rows, a_straight ? k : m, std::max<int64_t>(1, a_rows) + gap(random),
                 random);
    const Held b(ab, b_rows, b_straight ? n : k, std::max<int64_t>(1, b_rows) + gap(random),
                 random);
    const Held c(c_type, m, n, std::max<int64_t>(1, m) + gap(random), random);
    const double alpha = turn % 3, beta = turn % 2;
    Values wanted;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) {
        DoubleComplex sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += a.at(a_op, i, l) * b.at(b_op, l, j);
        wanted.push_back(alpha * sum + beta * c.at(i, j));
      }
    }
    const auto alpha_bytes = scalar_bytes(scale, alpha), beta_bytes = scalar_bytes(scale, beta);
    const Gemm gemm{.a_op = a_op,
                    .b_op = b_op,
                    .m = m,
                    .n = n,
                    .k = k,
                    .a = a.matrix(),
                    .b = b.matrix(),
                    .c = c.matrix(),
                    .d = c.matrix(),
                    .accumulate = accumulate,
                    .scale = scale,
                    .alpha = alpha_bytes.data(),
                    .beta = beta_bytes.data()};
    ASSERT_TRUE(is_supported(gemm));
    compute(gemm);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i)
        ASSERT_EQ(c.at(i, j), wanted[static_cast<size_t>(j * m + i)]) << turn;
    }
    EXPECT_TRUE(c.has_kept_gaps());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, GemmOfTypes,
    ::testing::Values(Types{Type::kR32F, Type::kR32F, Type::kR32F, Type::kR32F},
                      Types{Type::kR64F, Type::kR64F, Type::kR64F, Type::kR64F},
                      Types{Type::kC32F, Type::kC32F, Type::kC32F, Type::kC32F},
                      Types{Type::kC64F, Type::kC64F, Type::kC64F, Type::kC64F},
                      Types{Type::kR16F, Type::kR16F, Type::kR32F, Type::kR16F},
                      Types{Type::kR16F, Type::kR16F, Type::kR32F, Type::kR32F},
                      Types{Type::kR16BF, Type::kR32F, Type::kR32F, Type::kR32F},
                      Types{Type::kR8I, Type::kR32I, Type::kR32I, Type::kR32I}));

class GemmRules : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "libopenblas.so.0 is not here";
  }
};

template <class T>
Gemm one_by_one(T& a, T& b, T& c, T& d, Type type, const float& alpha, const float& beta) {
  return {.m = 1,
          .n = 1,
          .k = 1,
          .a = {&a, type, 1},
          .b = {&b, type, 1},
          .c = {&c, type, 1},
          .d = {&d, type, 1},
          .alpha = &alpha,
          .beta = &beta};
}

TEST_F(GemmRules, DoesNotReadWhatIsTimesZero) {
  const float nan = std::nanf(""), zero = 0, one = 1;
  float a = nan, b = 2, c = 5, d = 0;
  compute(one_by_one(a, b, c, d, Type::kR32F, zero, one));
  EXPECT_EQ(d, 5);
  a = 3;
  c = nan;
  compute(one_by_one(a, b, c, c, Type::kR32F, one, zero));
  EXPECT_EQ(c, 6);
}

// 1 + 2^-9 is not a bf16; 257 of 256 * (1 + 2^-8) + 256 ... is rounded once, to even.
TEST_F(GemmRules, RoundsOnceWhenItStores) {
  const float one = 1;
  Bfloat a(1.0f), b(1.0f), c(0.00390625f), d;  // 1 + 2^-8: half between two values
  compute(one_by_one(a, b, c, d, Type::kR16BF, one, one));
  EXPECT_EQ(static_cast<float>(d), 1.0f);
  c = Bfloat(0.0078125f);
  compute(one_by_one(a, b, c, d, Type::kR16BF, one, one));
  EXPECT_EQ(static_cast<float>(d), 1.0078125f);
}

TEST_F(GemmRules, AppliesBiasBeforeTheFunction) {
  const float one = 1, zero = 0;
  float a = 1, b = -3, c = 0, d = 0, bias = 1, aux = 0;
  Gemm gemm = one_by_one(a, b, c, d, Type::kR32F, one, zero);
  gemm.epilogue.bias = Matrix{&bias, Type::kR32F, 1};
  compute(gemm);
  EXPECT_EQ(d, -2);
  gemm.epilogue.function = Epilogue::Function::kRelu;
  compute(gemm);
  EXPECT_EQ(d, 0);
  gemm.epilogue.function = Epilogue::Function::kGelu;
  gemm.epilogue.aux = Matrix{&aux, Type::kR32F, 1};
  compute(gemm);
  EXPECT_EQ(aux, -2);
  EXPECT_FLOAT_EQ(d, -0.04540231f);
}

TEST_F(GemmRules, SumsRowsOfBForTheBiasGradient) {
  const float one = 1, zero = 0;
  float a[] = {1, 2}, b[] = {3, 4}, d = 0, sum = 0;
  Gemm gemm{.m = 1,
            .n = 1,
            .k = 2,
            .a = {a, Type::kR32F, 1},
            .b = {b, Type::kR32F, 2},
            .c = {&d, Type::kR32F, 1},
            .d = {&d, Type::kR32F, 1},
            .alpha = &one,
            .beta = &zero};
  gemm.epilogue.gradient = Epilogue::Gradient::kOfB;
  gemm.epilogue.gradient_to = Matrix{&sum, Type::kR32F, 1};
  compute(gemm);
  EXPECT_EQ(d, 11);
  EXPECT_EQ(sum, 7);
}

TEST(Gelu, HasItsGradient) {
  for (double x = -4; x <= 4; x += 0.25) {
    const double slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
    EXPECT_NEAR(gelu_gradient(x), slope, 1e-8) << x;
  }
}

TEST(BfloatNumbers, RoundToNearestEven) {
  EXPECT_EQ(Bfloat(1.0f).bits, 0x3f80);
  EXPECT_EQ(Bfloat(1.00390625f).bits, 0x3f80);
  EXPECT_EQ(Bfloat(1.01171875f).bits, 0x3f82);
  EXPECT_EQ(Bfloat(3.4e38f).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat(std::nanf("")))));
}

}  // namespace
}  // namespace warpledger::math
