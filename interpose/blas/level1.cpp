// Vectors: every name once with int and once (_64) with int64_t.
#include "interpose/blas/handle.h"
#include "interpose/math/vectors.h"

namespace warpledger::cuda::blas {
namespace {

using math::Complex;
using math::DoubleComplex;
using math::Real;
using math::Vector;

template <class T>
Vector<const T> in(const T* data, int64_t n, int64_t increment) {
  return {data, n, increment};
}
template <class T>
Vector<T> out(T* data, int64_t n, int64_t increment) {
  return {data, n, increment};
}

template <class T, class S>
Status do_axpy(const char* name, Handle* h, int64_t n, const S* alpha, const T* x, int64_t incx,
               T* y, int64_t incy) {
  if (h == nullptr) return kNotInitialized;
  if (alpha == nullptr) return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = {vector_operand("x", x, n, incx), vector_operand("y", y, n, incy)},
                  .flops = kFlops<T> * static_cast<double>(n),
                  .pipe = kPipe<T>,
                  .compute = [=, a = scalar(*h, alpha)] {
                    math::axpy<T>(a.get(), in(x, n, incx), out(y, n, incy));
                  }});
}

/// A number that is made of one or two vectors; in host mode the host waits for it.
template <class T, class Result, class Compute>
Status do_reduce(const char* name, Handle* h, int64_t n, std::vector<Operand> operands,
                 Result* result, Compute compute) {
  if (h == nullptr) return kNotInitialized;
  if (result == nullptr) return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = std::move(operands),
                  .flops = kFlops<T> * static_cast<double>(n),
                  .pipe = kPipe<T>,
                  .compute = [=] { *result = static_cast<Result>(compute()); },
                  .waits = h->pointer_mode == 0});
}

template <class T>
Status do_dot(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, const T* y,
              int64_t incy, T* result, bool conjugates) {
  return do_reduce<T>(name, h, n,
                      {vector_operand("x", x, n, incx), vector_operand("y", y, n, incy)}, result,
                      [=] { return math::dot(in(x, n, incx), in(y, n, incy), conjugates); });
}

template <class T>
Status do_nrm2(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  return do_reduce<T>(name, h, n, {vector_operand("x", x, n, incx)}, result,
                      [=] { return math::nrm2(in(x, n, incx)); });
}

template <class T>
Status do_asum(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  return do_reduce<T>(name, h, n, {vector_operand("x", x, n, incx)}, result,
                      [=] { return math::asum(in(x, n, incx)); });
}

template <class T, class Int>
Status do_extreme(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, Int* result,
                  bool largest) {
  return do_reduce<T>(name, h, n, {vector_operand("x", x, n, incx)}, result,
                      [=] { return math::find_extreme(in(x, n, incx), largest); });
}

template <class T, class S>
Status do_scal(const char* name, Handle* h, int64_t n, const S* alpha, T* x, int64_t incx) {
  if (h == nullptr) return kNotInitialized;
  if (alpha == nullptr) return kInvalidValue;
  return run(*h, {.name = name,
                  .operands = {vector_operand("x", x, n, incx)},
                  .flops = static_cast<double>(n),
                  .pipe = kPipe<T>,
                  .compute = [=, a = scalar(*h, alpha)] { math::scal(a.get(), out(x, n, incx)); }});
}

template <class T, class Compute>
Status do_pair(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, const T* y,
               int64_t incy, Compute compute) {
  if (h == nullptr) return kNotInitialized;
  return run(*h, {.name = name,
                  .operands = {vector_operand("x", x, n, incx), vector_operand("y", y, n, incy)},
                  .pipe = kPipe<T>,
                  .compute = compute});
}

template <class T>
Status do_copy(const char* name, Handle* h, int64_t n, const T* x, int64_t incx, T* y,
               int64_t incy) {
  return do_pair(name, h, n, x, incx, y, incy,
                 [=] { math::copy(in(x, n, incx), out(y, n, incy)); });
}

template <class T>
Status do_swap(const char* name, Handle* h, int64_t n, T* x, int64_t incx, T* y, int64_t incy) {
  return do_pair(name, h, n, x, incx, y, incy,
                 [=] { math::swap(out(x, n, incx), out(y, n, incy)); });
}

template <class T, class S>
Status do_rot(const char* name, Handle* h, int64_t n, T* x, int64_t incx, T* y, int64_t incy,
              const Real<T>* c, const S* s) {
  if (h == nullptr) return kNotInitialized;
  if (c == nullptr || s == nullptr) return kInvalidValue;
  return do_pair(name, h, n, x, incx, y, incy, [=, cosine = scalar(*h, c), sine = scalar(*h, s)] {
    math::rot(out(x, n, incx), out(y, n, incy), cosine.get(), sine.get());
  });
}

}  // namespace

#define WL_TEXT(BASE) "cublas" #BASE
#define WL_NAMES "interpose/blas/level1.inc"
#include "interpose/blas/both_widths.inc"

}  // namespace warpledger::cuda::blas
