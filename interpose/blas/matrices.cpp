// Levels 2 and 3 besides GEMM: every name with int and (_64) with int64_t.
#include "interpose/math/matrices.h"

#include <climits>

#include "interpose/blas/handle.h"

namespace warpledger::cuda::blas {
namespace {

using math::Columns;
using math::Complex;
using math::Diagonal;
using math::DoubleComplex;
using math::Fill;
using math::Op;
using math::Side;
using math::Vector;

bool is_op(int op) { return op >= 0 && op <= 2; }
bool fits(std::initializer_list<int64_t> sizes) {
  return std::ranges::all_of(sizes, [](int64_t size) { return size >= 0 && size <= INT_MAX; });
}
template <class T>
Operand matrix(const char* name, const T* data, int64_t rows, int64_t columns, int64_t ld) {
  return matrix_operand(name, data, rows, columns, ld, sizeof(T));
}
double product(int64_t a, int64_t b, int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

template <class T>
Status do_gemv(const char* name, Handle* h, int op, int64_t m, int64_t n, const T* alpha,
               const T* a, int64_t lda, const T* x, int64_t incx, const T* beta, T* y,
               int64_t incy) {
  if (h == nullptr) return kNotInitialized;
  if (!is_op(op) || m < 0 || n < 0 || lda < std::max<int64_t>(1, m) || incx == 0 || incy == 0)
    return kInvalidValue;
  if (alpha == nullptr || beta == nullptr) return kInvalidValue;
  const int64_t taken = op == 0 ? n : m, made = op == 0 ? m : n;
  if (made == 0 || taken == 0) return kSuccess;
  return run(
      *h,
      {.name = name,
       .operands = {matrix("A", a, m, n, lda), vector_operand("x", x, taken, incx),
                    vector_operand("y", y, made, incy)},
       .flops = kFlops<T> * product(m, n),
       .pipe = kPipe<T>,
       .compute = [=, p = scalar(*h, alpha), q = scalar(*h, beta)] {
         math::gemv<T>(Op(op), m, n, p.get(), {a, lda}, {x, taken, incx}, q.get(), {y, made, incy});
       }});
}

template <class T>
Status do_ger(const char* name, Handle* h, int64_t m, int64_t n, const T* alpha, const T* x,
              int64_t incx, const T* y, int64_t incy, T* a, int64_t lda, bool conjugates) {
  if (h == nullptr) return kNotInitialized;
  if (m < 0 || n < 0 || lda < std::max<int64_t>(1, m) || incx == 0 || incy == 0 || alpha == nullptr)
    return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = {vector_operand("x", x, m, incx), vector_operand("y", y, n, incy),
                               matrix("A", a, m, n, lda)},
                  .flops = kFlops<T> * product(m, n),
                  .pipe = kPipe<T>,
                  .compute = [=, p = scalar(*h, alpha)] {
                    math::ger<T>(m, n, p.get(), {x, m, incx}, {y, n, incy}, conjugates, {a, lda});
                  }});
}

template <class T>
Status do_geam(const char* name, Handle* h, int a_op, int b_op, int64_t m, int64_t n,
               const T* alpha, const T* a, int64_t lda, const T* beta, const T* b, int64_t ldb,
               T* c, int64_t ldc) {
  if (h == nullptr) return kNotInitialized;
  if (!is_op(a_op) || !is_op(b_op) || m < 0 || n < 0 || alpha == nullptr || beta == nullptr)
    return kInvalidValue;
  const int64_t a_rows = a_op == 0 ? m : n, b_rows = b_op == 0 ? m : n;
  if (lda < std::max<int64_t>(1, a_rows) || ldb < std::max<int64_t>(1, b_rows) ||
      ldc < std::max<int64_t>(1, m))
    return kInvalidValue;
  // A factor of 0 says that the matrix is not read; it may then be null.
  const bool host = h->pointer_mode == 0;
  std::vector<Operand> operands{matrix("C", c, m, n, ldc)};
  if (!host || *alpha != T(0)) operands.push_back(matrix("A", a, a_rows, m + n - a_rows, lda));
  if (!host || *beta != T(0)) operands.push_back(matrix("B", b, b_rows, m + n - b_rows, ldb));
  return run(
      *h,
      {.name = name,
       .operands = std::move(operands),
       .flops = 2 * product(m, n),
       .pipe = kPipe<T>,
       .compute = [=, p = scalar(*h, alpha), q = scalar(*h, beta)] {
         math::geam<T>(Op(a_op), Op(b_op), m, n, p.get(), {a, lda}, q.get(), {b, ldb}, {c, ldc});
       }});
}

template <class T>
Status do_dgmm(const char* name, Handle* h, int side, int64_t m, int64_t n, const T* a, int64_t lda,
               const T* x, int64_t incx, T* c, int64_t ldc) {
  if (h == nullptr) return kNotInitialized;
  if (side < 0 || side > 1 || m < 0 || n < 0 || std::min(lda, ldc) < std::max<int64_t>(1, m))
    return kInvalidValue;
  return run(
      *h, {.name = name,
           .operands = {matrix("A", a, m, n, lda), vector_operand("x", x, side == 0 ? m : n, incx),
                        matrix("C", c, m, n, ldc)},
           .flops = product(m, n),
           .pipe = kPipe<T>,
           .compute = [=] {
             math::dgmm<T>(Side(side), m, n, {a, lda}, x, incx, {c, ldc});
           }});
}

struct Kind {
  int side, fill, op, diagonal;
  [[nodiscard]] bool is_valid() const {
    return side >= 0 && side <= 1 && fill >= 0 && fill <= 1 && is_op(op) && diagonal >= 0 &&
           diagonal <= 1;
  }
  [[nodiscard]] math::Triangle get() const {
    return {Side(side), Fill(fill), Op(op), Diagonal(diagonal)};
  }
};

/// B is read, and C (which may be B) gets the result.
template <class T>
Status do_triangular(const char* name, const char* routine, Handle* h, Kind kind, int64_t m,
                     int64_t n, const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb,
                     T* c, int64_t ldc) {
  if (h == nullptr) return kNotInitialized;
  const int64_t order = kind.side == 0 ? m : n;
  if (!kind.is_valid() || !fits({m, n, lda, ldb, ldc}) || alpha == nullptr) return kInvalidValue;
  if (lda < std::max<int64_t>(1, order) || std::min(ldb, ldc) < std::max<int64_t>(1, m))
    return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  return run(*h, {.name = name,
                  .operands = {matrix("A", a, order, order, lda), matrix("B", b, m, n, ldb),
                               matrix("C", c, m, n, ldc)},
                  .flops = kFlops<T> * product(m, n, order) / 2,
                  .pipe = kPipe<T>,
                  .compute = [=, p = scalar(*h, alpha)] {
                    for (int64_t j = 0; j < n && b != c; ++j)
                      std::copy_n(b + j * ldb, m, c + j * ldc);
                    math::triangular<T>(routine, kind.get(), static_cast<int>(m),
                                        static_cast<int>(n), p.get(), a, static_cast<int>(lda), c,
                                        static_cast<int>(ldc));
                  }});
}

template <class T>
Status do_symm(const char* name, Handle* h, int side, int fill, int64_t m, int64_t n,
               const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb, const T* beta,
               T* c, int64_t ldc) {
  if (h == nullptr) return kNotInitialized;
  const int64_t order = side == 0 ? m : n;
  if (!Kind{side, fill, 0, 0}.is_valid() || !fits({m, n, lda, ldb, ldc}) || alpha == nullptr ||
      beta == nullptr)
    return kInvalidValue;
  if (lda < std::max<int64_t>(1, order) || std::min(ldb, ldc) < std::max<int64_t>(1, m))
    return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = {matrix("A", a, order, order, lda), matrix("B", b, m, n, ldb),
                               matrix("C", c, m, n, ldc)},
                  .flops = kFlops<T> * product(m, n, order),
                  .pipe = kPipe<T>,
                  .compute = [=, p = scalar(*h, alpha), q = scalar(*h, beta)] {
                    math::symm<T>(Side(side), Fill(fill), static_cast<int>(m), static_cast<int>(n),
                                  p.get(), a, static_cast<int>(lda), b, static_cast<int>(ldb),
                                  q.get(), c, static_cast<int>(ldc));
                  }});
}

template <class T>
Status do_syrk(const char* name, Handle* h, int fill, int op, int64_t n, int64_t k, const T* alpha,
               const T* a, int64_t lda, const T* beta, T* c, int64_t ldc) {
  if (h == nullptr) return kNotInitialized;
  const int64_t rows = op == 0 ? n : k;
  if (!Kind{0, fill, op, 0}.is_valid() || !fits({n, k, lda, ldc}) || alpha == nullptr ||
      beta == nullptr)
    return kInvalidValue;
  if (lda < std::max<int64_t>(1, rows) || ldc < std::max<int64_t>(1, n)) return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = {matrix("A", a, rows, n + k - rows, lda), matrix("C", c, n, n, ldc)},
                  .flops = kFlops<T> * product(n, n, k) / 2,
                  .pipe = kPipe<T>,
                  .compute = [=, p = scalar(*h, alpha), q = scalar(*h, beta)] {
                    math::syrk<T>(Fill(fill), Op(op), static_cast<int>(n), static_cast<int>(k),
                                  p.get(), a, static_cast<int>(lda), q.get(), c,
                                  static_cast<int>(ldc));
                  }});
}

}  // namespace

#define WL_NAMES "interpose/blas/matrices.inc"
#include "interpose/blas/both_widths.inc"

}  // namespace warpledger::cuda::blas
