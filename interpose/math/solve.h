// Dense systems of equations: LU, QR and Cholesky factors, columns first, through LAPACK (OpenBLAS
// has it). Each answers with LAPACK's info: 0, -i where argument i is wrong, i where the factor
// ends at column i.
#pragma once

#include <algorithm>
#include <vector>

#include "interpose/math/matrices.h"

namespace warpledger::math {

/// A square or tall or wide matrix in place.
template <class T>
struct Dense {
  int rows = 0, columns = 0;
  T* data = nullptr;
  int ld = 1;
};

/// A = P L U, without P where there are no pivots to write.
template <class T>
int factor_lu(Dense<T> a, int* pivots) {
  int info = 0;
  if (pivots != nullptr) {
    call_openblas<T>("getrf", &a.rows, &a.columns, a.data, &a.ld, pivots, &info);
    return info;
  }
  const Columns<T> at{a.data, a.ld};
  for (int k = 0; k < std::min(a.rows, a.columns); ++k) {
    if (at(k, k) == T(0) && info == 0) info = k + 1;
    if (at(k, k) == T(0)) continue;
    for (int i = k + 1; i < a.rows; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < a.columns; ++j) {
      for (int i = k + 1; i < a.rows; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
  }
  return info;
}

/// op(A) X = B in place of B, of what factor_lu() made.
template <class T>
int solve_lu(char op, Dense<const T> a, const int* pivots, Dense<T> b) {
  std::vector<int> straight;
  if (pivots == nullptr) {
    for (int i = 1; i <= a.rows; ++i) straight.push_back(i);
    pivots = straight.data();
  }
  int info = 0;
  call_openblas<T>("getrs", &op, &a.rows, &b.columns, a.data, &a.ld, pivots, b.data, &b.ld, &info,
                   size_t{1});
  return info;
}

/// A = Q R: R above, what Q is made of below and in `tau`.
template <class T>
int factor_qr(Dense<T> a, T* tau) {
  int info = 0, length = std::max(1, 64 * a.columns);
  std::vector<T> work(static_cast<size_t>(length));
  call_openblas<T>("geqrf", &a.rows, &a.columns, a.data, &a.ld, tau, work.data(), &length, &info);
  return info;
}

/// C = op(Q) C, or C op(Q); Q of `reflectors` columns of A.
template <class T>
int multiply_q(char side, char op, int reflectors, Dense<const T> a, const T* tau, Dense<T> c) {
  int info = 0, length = 64 * std::max({1, c.rows, c.columns});
  std::vector<T> work(static_cast<size_t>(length));
  call_openblas<T>(kIsComplex<T> ? "unmqr" : "ormqr", &side, &op, &c.rows, &c.columns, &reflectors,
                   a.data, &a.ld, tau, c.data, &c.ld, work.data(), &length, &info, size_t{1},
                   size_t{1});
  return info;
}

/// Q itself in place of A.
template <class T>
int form_q(int reflectors, Dense<T> a, const T* tau) {
  int info = 0, length = 64 * std::max(1, a.columns);
  std::vector<T> work(static_cast<size_t>(length));
  call_openblas<T>(kIsComplex<T> ? "ungqr" : "orgqr", &a.rows, &a.columns, &reflectors, a.data,
                   &a.ld, tau, work.data(), &length, &info);
  return info;
}

/// A = L L^H or U^H U, in the triangle that `uplo` names.
template <class T>
int factor_cholesky(char uplo, Dense<T> a) {
  int info = 0;
  call_openblas<T>("potrf", &uplo, &a.rows, a.data, &a.ld, &info, size_t{1});
  return info;
}

template <class T>
int solve_cholesky(char uplo, Dense<const T> a, Dense<T> b) {
  int info = 0;
  call_openblas<T>("potrs", &uplo, &a.rows, &b.columns, a.data, &a.ld, b.data, &b.ld, &info,
                   size_t{1});
  return info;
}

}  // namespace warpledger::math
