// Factors multiplied out are the matrix, and solutions solve, for every type of element.
#include "interpose/math/solve.h"

#include <gtest/gtest.h>

#include <random>

namespace warpledger::math {
namespace {

template <class T>
class Solve : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "no libopenblas.so.0";
  }

  static constexpr int kN = 13, kM = 19, kLd = 21;
  /// What a sum of kM products may lose.
  static constexpr double kEps =
      std::is_same_v<T, float> || std::is_same_v<T, Complex> ? 1e-4 : 1e-12;

  T any() {
    if constexpr (kIsComplex<T>) {
      using Part = typename T::value_type;
      const auto real = static_cast<Part>(spread_(random_));
      return T(real, static_cast<Part>(spread_(random_)));
    } else {
      return static_cast<T>(spread_(random_));
    }
  }
  std::vector<T> any_columns(int count) {
    std::vector<T> made(static_cast<size_t>(kLd * count));
    for (T& one : made) one = any();
    return made;
  }
  static T at(const std::vector<T>& a, int i, int j) { return a[static_cast<size_t>(j * kLd + i)]; }
  static void expect_near(T a, T b) { EXPECT_LT(std::abs(a - b), kEps); }

 private:
  std::mt19937 random_{5};
  std::uniform_real_distribution<double> spread_{-1, 1};
};

using Types = ::testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Solve, Types);

/// B - op(A) X is 0.
template <class T, class At>
void expect_solved(At at, const std::vector<T>& a, const std::vector<T>& x, const std::vector<T>& b,
                   int n, int columns, char op, double eps) {
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < n; ++i) {
      T sum(0);
      for (int k = 0; k < n; ++k) {
        const T factor = op == 'N' ? at(a, i, k) : op == 'T' ? at(a, k, i) : conjugate(at(a, k, i));
        sum += factor * at(x, k, j);
      }
      EXPECT_LT(std::abs(sum - at(b, i, j)), eps);
    }
  }
}

TYPED_TEST(Solve, LuSolvesForEveryFormOfTheMatrix) {
  using T = TypeParam;
  constexpr int n = TestFixture::kN, ld = TestFixture::kLd;
  for (const char op : {'N', 'T', 'C'}) {
    const std::vector<T> a = this->any_columns(n), b = this->any_columns(3);
    std::vector<T> lu = a, x = b;
    std::vector<int> pivots(n);
    ASSERT_EQ(factor_lu<T>({n, n, lu.data(), ld}, pivots.data()), 0);
    ASSERT_EQ(solve_lu<T>(op, {n, n, lu.data(), ld}, pivots.data(), {n, 3, x.data(), ld}), 0);
    expect_solved<T>(&TestFixture::at, a, x, b, n, 3, op, 50 * TestFixture::kEps);
  }
}

TYPED_TEST(Solve, LuWithoutPivotsSolvesWhereTheDiagonalIsLarge) {
  using T = TypeParam;
  constexpr int n = TestFixture::kN, ld = TestFixture::kLd;
  std::vector<T> a = this->any_columns(n);
  for (int i = 0; i < n; ++i) a[static_cast<size_t>(i * ld + i)] += T(2 * n);
  const std::vector<T> b = this->any_columns(2);
  std::vector<T> lu = a, x = b;
  ASSERT_EQ(factor_lu<T>({n, n, lu.data(), ld}, nullptr), 0);
  ASSERT_EQ(solve_lu<T>('N', {n, n, lu.data(), ld}, nullptr, {n, 2, x.data(), ld}), 0);
  expect_solved<T>(&TestFixture::at, a, x, b, n, 2, 'N', TestFixture::kEps);
}

TYPED_TEST(Solve, SaysAtWhichColumnALuEnds) {
  using T = TypeParam;
  std::vector<T> zeros(4);
  std::vector<int> pivots(2);
  EXPECT_EQ(factor_lu<T>({2, 2, zeros.data(), 2}, pivots.data()), 1);
  EXPECT_EQ(factor_lu<T>({2, 2, zeros.data(), 2}, nullptr), 1);
}

TYPED_TEST(Solve, QTimesRIsTheMatrix) {
  using T = TypeParam;
  constexpr int m = TestFixture::kM, n = TestFixture::kN, ld = TestFixture::kLd;
  const std::vector<T> a = this->any_columns(n);
  std::vector<T> qr = a, tau(n);
  ASSERT_EQ(factor_qr<T>({m, n, qr.data(), ld}, tau.data()), 0);
  std::vector<T> r(static_cast<size_t>(ld * n));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) r[static_cast<size_t>(j * ld + i)] = TestFixture::at(qr, i, j);
  ASSERT_EQ(multiply_q<T>('L', 'N', n, {m, n, qr.data(), ld}, tau.data(), {m, n, r.data(), ld}), 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      TestFixture::expect_near(TestFixture::at(r, i, j), TestFixture::at(a, i, j));
}

TYPED_TEST(Solve, TheColumnsOfQAreOrthonormal) {
  using T = TypeParam;
  constexpr int m = TestFixture::kM, n = TestFixture::kN, ld = TestFixture::kLd;
  std::vector<T> q = this->any_columns(n), tau(n);
  ASSERT_EQ(factor_qr<T>({m, n, q.data(), ld}, tau.data()), 0);
  ASSERT_EQ(form_q<T>(n, {m, n, q.data(), ld}, tau.data()), 0);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      T sum(0);
      for (int i = 0; i < m; ++i)
        sum += conjugate(TestFixture::at(q, i, j)) * TestFixture::at(q, i, k);
      TestFixture::expect_near(sum, T(j == k));
    }
  }
}

TYPED_TEST(Solve, CholeskySolvesByEitherTriangle) {
  using T = TypeParam;
  constexpr int n = TestFixture::kN, ld = TestFixture::kLd;
  for (const char uplo : {'L', 'U'}) {
    std::vector<T> a = this->any_columns(n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < j; ++i)
        a[static_cast<size_t>(j * ld + i)] = conjugate(TestFixture::at(a, j, i));
      a[static_cast<size_t>(j * ld + j)] = T(2 * n);
    }
    const std::vector<T> b = this->any_columns(2);
    std::vector<T> factor = a, x = b;
    ASSERT_EQ(factor_cholesky<T>(uplo, {n, n, factor.data(), ld}), 0);
    ASSERT_EQ(solve_cholesky<T>(uplo, {n, n, factor.data(), ld}, {n, 2, x.data(), ld}), 0);
    expect_solved<T>(&TestFixture::at, a, x, b, n, 2, 'N', TestFixture::kEps);
  }
}

}  // namespace
}  // namespace warpledger::math
