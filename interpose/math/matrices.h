// BLAS levels 2 and 3 besides GEMM, and cuBLAS's own geam and dgmm; columns first.
#pragma once

#include <vector>

#include "interpose/math/gemm.h"
#include "interpose/math/openblas.h"
#include "interpose/math/vectors.h"

namespace warpledger::math {

/// The numbers of cublasFillMode_t, cublasSideMode_t, cublasDiagType_t.
enum class Fill : int { kLower = 0, kUpper = 1, kFull = 2 };
enum class Side : int { kLeft = 0, kRight = 1 };
enum class Diagonal : int { kNonUnit = 0, kUnit = 1 };

template <class T>
struct Columns {
  T* data = nullptr;
  int64_t ld = 1;
  [[nodiscard]] T& operator()(int64_t i, int64_t j) const { return data[j * ld + i]; }
};

/// op(X)(i, j).
template <class T>
T element(Columns<const T> x, Op op, int64_t i, int64_t j) {
  if (op == Op::kNone) return x(i, j);
  return op == Op::kAdjoint ? conjugate(x(j, i)) : x(j, i);
}

/// y = alpha op(A) x + beta y; A is m by n. y is not read where beta is 0.
template <class T>
void gemv(Op op, int64_t m, int64_t n, T alpha, Columns<const T> a, Vector<const T> x, T beta,
          Vector<T> y) {
  const int64_t rows = op == Op::kNone ? m : n;
  std::vector<Sum<T>> sums(static_cast<size_t>(rows));
  const auto add = [&](int64_t i, int64_t j) {
    sums[static_cast<size_t>(i)] += convert<Sum<T>>(element(a, op, i, j)) * convert<Sum<T>>(x[j]);
  };
  if (alpha != T(0)) {
    for (int64_t outer = 0; outer < n; ++outer) {  // along the columns in memory
      for (int64_t inner = 0; inner < m; ++inner) {
        if (op == Op::kNone) add(inner, outer);
        if (op != Op::kNone) add(outer, inner);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    const Sum<T> sum = convert<Sum<T>>(alpha) * sums[static_cast<size_t>(i)];
    y[i] = convert<T>(beta == T(0) ? sum : sum + convert<Sum<T>>(beta) * convert<Sum<T>>(y[i]));
  }
}

/// A += alpha x y^T, or y^H.
template <class T>
void ger(int64_t m, int64_t n, T alpha, Vector<const T> x, Vector<const T> y, bool conjugates,
         Columns<T> a) {
  for (int64_t j = 0; j < n; ++j) {
    const T factor = alpha * (conjugates ? conjugate(y[j]) : y[j]);
    for (int64_t i = 0; i < m; ++i) a(i, j) += x[i] * factor;
  }
}

/// C = alpha op(A) + beta op(B); C may be A or B where that is not turned.
template <class T>
void geam(Op a_op, Op b_op, int64_t m, int64_t n, T alpha, Columns<const T> a, T beta,
          Columns<const T> b, Columns<T> c) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) {
      T sum(0);
      if (alpha != T(0)) sum += alpha * element(a, a_op, i, j);
      if (beta != T(0)) sum += beta * element(b, b_op, i, j);
      c(i, j) = sum;
    }
  }
}

/// C = diag(x) A, or A diag(x).
template <class T>
void dgmm(Side side, int64_t m, int64_t n, Columns<const T> a, const T* x, int64_t increment,
          Columns<T> c) {
  const Vector<const T> diagonal{x, side == Side::kLeft ? m : n, increment};
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) c(i, j) = a(i, j) * diagonal[side == Side::kLeft ? i : j];
  }
}

/// The routines of OpenBLAS with these arguments.
struct Triangle {
  Side side = Side::kLeft;
  Fill fill = Fill::kLower;
  Op op = Op::kNone;
  Diagonal diagonal = Diagonal::kNonUnit;
};
inline char letter(Side side) { return side == Side::kLeft ? 'L' : 'R'; }
inline char letter(Fill fill) { return fill == Fill::kLower ? 'L' : 'U'; }
inline char letter(Op op) { return op == Op::kNone ? 'N' : op == Op::kTranspose ? 'T' : 'C'; }
inline char letter(Diagonal diagonal) { return diagonal == Diagonal::kUnit ? 'U' : 'N'; }

/// "trsm": B = alpha op(A)^-1 B (or B op(A)^-1); "trmm": B = alpha op(A) B.
template <class T>
void triangular(const char* name, Triangle kind, int m, int n, T alpha, const T* a, int lda, T* b,
                int ldb) {
  const char side = letter(kind.side), fill = letter(kind.fill), op = letter(kind.op);
  const char diagonal = letter(kind.diagonal);
  call_openblas<T>(name, &side, &fill, &op, &diagonal, &m, &n, &alpha, a, &lda, b, &ldb);
}

/// C = alpha A B + beta C (or B A) where A is symmetric.
template <class T>
void symm(Side side, Fill fill, int m, int n, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc) {
  const char side_letter = letter(side), fill_letter = letter(fill);
  call_openblas<T>("symm", &side_letter, &fill_letter, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c,
                   &ldc);
}

/// C = alpha op(A) op(A)^T + beta C, in one triangle.
template <class T>
void syrk(Fill fill, Op op, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc) {
  const char fill_letter = letter(fill), op_letter = letter(op);
  call_openblas<T>("syrk", &fill_letter, &op_letter, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
}

}  // namespace warpledger::math
