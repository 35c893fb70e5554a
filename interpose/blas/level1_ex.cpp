// Vectors whose types are arguments: computed in double, rounded once.
#include "interpose/blas/handle.h"
#include "interpose/math/element.h"

namespace warpledger::cuda::blas {
namespace {

using math::DoubleComplex;
using math::Type;

/// A vector with the type of its elements.
struct Typed {
  void* data = nullptr;
  int type = 0;
  int64_t n = 0, increment = 1;

  [[nodiscard]] bool is_valid() const { return math::size_of(Type(type)) != 0; }
  [[nodiscard]] Operand operand(const char* name) const {
    const int64_t elements = n <= 0 ? 0 : 1 + (n - 1) * std::abs(increment);
    return {name, data, static_cast<uint64_t>(elements * math::size_of(Type(type)))};
  }
  [[nodiscard]] int64_t place(int64_t i) const {
    return (increment < 0 ? i + 1 - n : i) * increment;
  }
  [[nodiscard]] DoubleComplex get(int64_t i) const {
    return math::load<DoubleComplex>(data, Type(type), place(i));
  }
  void set(int64_t i, DoubleComplex value) const { math::store(data, Type(type), place(i), value); }
};
Typed typed(const void* data, int type, int64_t n, int64_t increment) {
  return {const_cast<void*>(data), type, n, increment};
}

Status refuse_types(const char* name) {
  refuse_library_call((std::string(name) + " with these types").c_str());
  return kNotSupported;
}

/// The host's value now, or the device's when the call is computed.
auto reader(const Handle& handle, Typed from) {
  const bool there = handle.pointer_mode == 1;
  const DoubleComplex now = there ? DoubleComplex() : from.get(0);
  return [=] { return there ? from.get(0) : now; };
}

Status do_dot(const char* name, Handle* h, Typed x, Typed y, Typed result, bool conjugates) {
  if (h == nullptr) return kNotInitialized;
  if (result.data == nullptr) return kInvalidValue;
  if (!x.is_valid() || !y.is_valid() || !result.is_valid()) return refuse_types(name);
  return run(*h, {.name = name,
                  .operands = {x.operand("x"), y.operand("y")},
                  .flops = 2 * static_cast<double>(x.n),
                  .compute =
                      [=] {
                        DoubleComplex sum = 0;
                        for (int64_t i = 0; i < x.n; ++i)
                          sum += (conjugates ? std::conj(x.get(i)) : x.get(i)) * y.get(i);
                        result.set(0, sum);
                      },
                  .waits = h->pointer_mode == 0});
}

Status do_axpy(Handle* h, Typed alpha, Typed x, Typed y) {
  if (h == nullptr) return kNotInitialized;
  if (alpha.data == nullptr) return kInvalidValue;
  if (!alpha.is_valid() || !x.is_valid() || !y.is_valid()) return refuse_types("cublasAxpyEx");
  return run(*h, {.name = "cublasAxpyEx",
                  .operands = {x.operand("x"), y.operand("y")},
                  .flops = 2 * static_cast<double>(x.n),
                  .compute = [=, read = reader(*h, alpha)] {
                    const DoubleComplex factor = read();
                    for (int64_t i = 0; i < x.n; ++i) y.set(i, factor * x.get(i) + y.get(i));
                  }});
}

Status do_scal(Handle* h, Typed alpha, Typed x) {
  if (h == nullptr) return kNotInitialized;
  if (alpha.data == nullptr) return kInvalidValue;
  if (!alpha.is_valid() || !x.is_valid()) return refuse_types("cublasScalEx");
  return run(*h, {.name = "cublasScalEx",
                  .operands = {x.operand("x")},
                  .flops = static_cast<double>(x.n),
                  .compute = [=, read = reader(*h, alpha)] {
                    const DoubleComplex factor = read();
                    for (int64_t i = 0; i < x.n && x.increment > 0; ++i)
                      x.set(i, factor * x.get(i));
                  }});
}

Status do_nrm2(Handle* h, Typed x, Typed result) {
  if (h == nullptr) return kNotInitialized;
  if (result.data == nullptr) return kInvalidValue;
  if (!x.is_valid() || !result.is_valid()) return refuse_types("cublasNrm2Ex");
  return run(*h, {.name = "cublasNrm2Ex",
                  .operands = {x.operand("x")},
                  .flops = 2 * static_cast<double>(x.n),
                  .compute =
                      [=] {
                        double size = 0;
                        for (int64_t i = 0; i < x.n && x.increment > 0; ++i)
                          size = std::hypot(size, std::abs(x.get(i)));
                        result.set(0, size);
                      },
                  .waits = h->pointer_mode == 0});
}

}  // namespace

#define WL_EX(SUFFIX, INT)                                                                         \
  extern "C" int cublasDotEx##SUFFIX(Handle* h, INT n, const void* x, int xt, INT incx,            \
                                     const void* y, int yt, INT incy, void* result, int rt, int) { \
    return do_dot("cublasDotEx", h, typed(x, xt, n, incx), typed(y, yt, n, incy),                  \
                  typed(result, rt, 1, 1), false);                                                 \
  }                                                                                                \
  extern "C" int cublasDotcEx##SUFFIX(Handle* h, INT n, const void* x, int xt, INT incx,           \
                                      const void* y, int yt, INT incy, void* result, int rt,       \
                                      int) {                                                       \
    return do_dot("cublasDotcEx", h, typed(x, xt, n, incx), typed(y, yt, n, incy),                 \
                  typed(result, rt, 1, 1), true);                                                  \
  }                                                                                                \
  extern "C" int cublasAxpyEx##SUFFIX(Handle* h, INT n, const void* alpha, int at, const void* x,  \
                                      int xt, INT incx, void* y, int yt, INT incy, int) {          \
    return do_axpy(h, typed(alpha, at, 1, 1), typed(x, xt, n, incx), typed(y, yt, n, incy));       \
  }                                                                                                \
  extern "C" int cublasScalEx##SUFFIX(Handle* h, INT n, const void* alpha, int at, void* x,        \
                                      int xt, INT incx, int) {                                     \
    return do_scal(h, typed(alpha, at, 1, 1), typed(x, xt, n, incx));                              \
  }                                                                                                \
  extern "C" int cublasNrm2Ex##SUFFIX(Handle* h, INT n, const void* x, int xt, INT incx,           \
                                      void* result, int rt, int) {                                 \
    return do_nrm2(h, typed(x, xt, n, incx), typed(result, rt, 1, 1));                             \
  }
WL_EX(, int)
WL_EX(_64, int64_t)
#undef WL_EX

}  // namespace warpledger::cuda::blas
