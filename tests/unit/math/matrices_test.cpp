// Vectors and matrices against their definitions.
#include "interpose/math/matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warpledger::math {
namespace {

using Numbers = std::vector<DoubleComplex>;

Numbers some(size_t count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_int_distribution<int> small(-5, 5);
  Numbers made(count);
  for (DoubleComplex& one : made) one = DoubleComplex(small(random), small(random));
  return made;
}

TEST(Vectors, BeginAtTheFarEndWhereTheIncrementIsNegative) {
  double data[] = {1, 2, 3, 4, 5};
  const Vector<double> back{data, 3, -2}, along{data, 3, 2};
  EXPECT_EQ(back[0], 5);
  EXPECT_EQ(back[2], 1);
  EXPECT_EQ(along[2], 5);
}

TEST(Vectors, AreMultipliedWithTheConjugateOfTheFirst) {
  const Numbers x = some(7, 1), y = some(7, 2);
  DoubleComplex plain = 0, conjugated = 0;
  for (size_t i = 0; i < 7; ++i) {
    plain += x[i] * y[i];
    conjugated += std::conj(x[i]) * y[i];
  }
  const Vector<const DoubleComplex> a{x.data(), 7, 1}, b{y.data(), 7, 1};
  EXPECT_EQ(dot(a, b, false), plain);
  EXPECT_EQ(dot(a, b, true), conjugated);
}

TEST(Vectors, HaveANormThatDoesNotOverflow) {
  const float data[] = {3e30f, 4e30f};
  EXPECT_FLOAT_EQ(nrm2(Vector<const float>{data, 2, 1}), 5e30f);
  const double large[] = {3e300, 4e300};
  EXPECT_DOUBLE_EQ(nrm2(Vector<const double>{large, 2, 1}), 5e300);
  EXPECT_EQ(nrm2(Vector<const float>{data, 2, 0}), 0);
}

TEST(Vectors, FindTheFirstOfTheLargestFromOne) {
  const Complex data[] = {{1, 1}, {-3, 1}, {2, -2}};
  EXPECT_EQ(find_extreme(Vector<const Complex>{data, 3, 1}, true), 2);
  EXPECT_EQ(find_extreme(Vector<const Complex>{data, 3, 1}, false), 1);
  EXPECT_EQ(find_extreme(Vector<const Complex>{data, 0, 1}, true), 0);
}

TEST(Vectors, TurnByAnAngle) {
  double x[] = {1, 0}, y[] = {0, 1};
  rot(Vector<double>{x, 2, 1}, Vector<double>{y, 2, 1}, 0.6, 0.8);
  EXPECT_DOUBLE_EQ(x[0], 0.6);
  EXPECT_DOUBLE_EQ(y[0], -0.8);
  EXPECT_DOUBLE_EQ(x[1], 0.8);
}

TEST(Matrices, TimesAVectorAreTheirDefinition) {
  for (int op = 0; op < 3; ++op) {
    const int64_t m = 5, n = 3, lda = 6;
    const Numbers a = some(static_cast<size_t>(lda * n), op), x = some(10, 9);
    Numbers y = some(10, 8);
    const Numbers before = y;
    const int64_t rows = op == 0 ? m : n, columns = op == 0 ? n : m;
    gemv<DoubleComplex>(Op(op), m, n, 2.0, {a.data(), lda}, {x.data(), columns, -2}, 3.0,
                        {y.data(), rows, 1});
    for (int64_t i = 0; i < rows; ++i) {
      DoubleComplex sum = 0;
      for (int64_t j = 0; j < columns; ++j)
        sum += element<DoubleComplex>({a.data(), lda}, Op(op), i, j) *
               x[static_cast<size_t>(2 * (columns - 1 - j))];
      EXPECT_EQ(y[static_cast<size_t>(i)], 2.0 * sum + 3.0 * before[static_cast<size_t>(i)]);
    }
  }
}

TEST(Matrices, AreSummedAndTransposed) {
  const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
  double c[6];
  geam<double>(Op::kTranspose, Op::kNone, 3, 2, 2, {a, 2}, 1, {b, 3}, {c, 3});
  const double wanted[] = {3, 6, 10, 5, 9, 13};
  EXPECT_TRUE(std::equal(c, c + 6, wanted));
}

// op(A) X = alpha B where A is triangular: multiplied again it is B.
TEST(Matrices, SolveWhatTheyMultiply) {
  if (!has_openblas()) GTEST_SKIP() << "libopenblas.so.0 is not here";
  const int n = 4;
  Numbers a = some(16, 3);
  for (size_t i = 0; i < 4; ++i) a[i * 5] += 20.0;
  for (int kind = 0; kind < 24; ++kind) {
    const Triangle triangle{Side(kind % 2), Fill(kind / 2 % 2), Op(kind / 4 % 3),
                            Diagonal(kind / 12)};
    const Numbers b = some(16, 4);
    Numbers x = b;
    triangular<DoubleComplex>("trsm", triangle, n, n, 2.0, a.data(), n, x.data(), n);
    triangular<DoubleComplex>("trmm", triangle, n, n, 0.5, a.data(), n, x.data(), n);
    for (size_t i = 0; i < 16; ++i) EXPECT_LT(std::abs(x[i] - b[i]), 1e-8 * std::abs(b[i]) + 1e-6);
  }
}

}  // namespace
}  // namespace warpledger::math
