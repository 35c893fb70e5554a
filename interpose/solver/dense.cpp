// interpose/solver/: our libcusolver.so.12, dense LU, QR and Cholesky. It knows cuSOLVER's ABI,
// declared here by ourselves; it must not know how factors are computed (interpose/math/solve.h).
#include "interpose/library_call.h"
#include "interpose/math/solve.h"
#include "interpose/solver/handle.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::solver;
namespace math = warpledger::math;

namespace {

using math::Fill;
using math::letter;
using math::Op;
using math::Side;

template <class T>
Operand operand(const char* name, const T* data, int ld, int columns) {
  const auto count =
      static_cast<uint64_t>(std::max(0, ld)) * static_cast<uint64_t>(std::max(0, columns));
  return {name, data, count * sizeof(T)};
}

bool is_shape(int rows, int columns, int ld) {
  return rows >= 0 && columns >= 0 && ld >= std::max(1, rows);
}

/// Runs `compute`, which answers with LAPACK's info, and writes that to the device.
template <class T, class Compute>
Status run(const char* name, const Handle* handle, std::vector<Operand> operands, double flops,
           int* info, Compute compute) {
  if (handle == nullptr) return kNotInitialized;
  if (!math::has_openblas()) {
    refuse_library_call((std::string(name) + " without OpenBLAS (libopenblas.so.0)").c_str());
    return kNotSupported;
  }
  if (info != nullptr) operands.push_back({"info", info, sizeof *info});
  constexpr bool kInDouble = std::is_same_v<T, double> || std::is_same_v<T, math::DoubleComplex>;
  const Error error =
      run_library_call(handle->stream, {.library = "cuSOLVER",
                                        .name = name,
                                        .operands = std::move(operands),
                                        .flops = (math::kIsComplex<T> ? 4 : 1) * flops,
                                        .pipe = kInDouble ? MathPipe::kFp64 : MathPipe::kFp32,
                                        .compute = [=] {
                                          const int result = compute();
                                          if (info != nullptr) *info = result;
                                        }});
  return error == Error::kNone ? kSuccess : kExecutionFailed;
}

/// The work space of a call: ours is its own, and a program may ask for some.
Status no_space(const Handle* handle, int* length) {
  if (handle == nullptr) return kNotInitialized;
  if (length == nullptr) return kInvalidValue;
  return *length = 1, kSuccess;
}

template <class T>
Status getrf(const char* name, const Handle* handle, int m, int n, T* a, int lda, int* pivots,
             int* info) {
  if (!is_shape(m, n, lda)) return kInvalidValue;
  const double small = std::min(m, n), large = std::max(m, n);
  std::vector<Operand> operands{operand("A", a, lda, n)};
  if (pivots != nullptr) operands.push_back(operand("ipiv", pivots, std::min(m, n), 1));
  return run<T>(name, handle, std::move(operands),
                large * small * small - small * small * small / 3, info, [=] {
                  return math::factor_lu<T>({m, n, a, lda}, pivots);
                });
}

template <class T>
Status getrs(const char* name, const Handle* handle, Op op, int n, int columns, const T* a, int lda,
             const int* pivots, T* b, int ldb, int* info) {
  if (!is_shape(n, n, lda) || !is_shape(n, columns, ldb)) return kInvalidValue;
  std::vector<Operand> operands{operand("A", a, lda, n), operand("B", b, ldb, columns)};
  if (pivots != nullptr) operands.push_back(operand("ipiv", pivots, n, 1));
  return run<T>(name, handle, std::move(operands), 2.0 * n * n * columns, info, [=] {
    return math::solve_lu<T>(letter(op), {n, n, a, lda}, pivots, {n, columns, b, ldb});
  });
}

template <class T>
Status geqrf(const char* name, const Handle* handle, int m, int n, T* a, int lda, T* tau,
             int* info) {
  if (!is_shape(m, n, lda)) return kInvalidValue;
  const double k = std::min(m, n);
  return run<T>(name, handle, {operand("A", a, lda, n), operand("tau", tau, std::min(m, n), 1)},
                2 * k * k * (std::max(m, n) - k / 3), info, [=] {
                  return math::factor_qr<T>({m, n, a, lda}, tau);
                });
}

template <class T>
Status ormqr(const char* name, const Handle* handle, Side side, Op op, int m, int n, int k,
             const T* a, int lda, const T* tau, T* c, int ldc, int* info) {
  const int order = side == Side::kLeft ? m : n;
  if (!is_shape(m, n, ldc) || !is_shape(order, k, lda)) return kInvalidValue;
  return run<T>(name, handle,
                {operand("A", a, lda, k), operand("tau", tau, k, 1), operand("C", c, ldc, n)},
                4.0 * m * n * k, info, [=] {
                  return math::multiply_q<T>(letter(side), letter(op), k, {order, k, a, lda}, tau,
                                             {m, n, c, ldc});
                });
}

template <class T>
Status orgqr(const char* name, const Handle* handle, int m, int n, int k, T* a, int lda,
             const T* tau, int* info) {
  if (!is_shape(m, n, lda) || k < 0 || k > n || n > m) return kInvalidValue;
  return run<T>(name, handle, {operand("A", a, lda, n), operand("tau", tau, k, 1)}, 4.0 * m * n * k,
                info, [=] {
                  return math::form_q<T>(k, {m, n, a, lda}, tau);
                });
}

template <class T>
Status potrf(const char* name, const Handle* handle, Fill fill, int n, T* a, int lda, int* info) {
  if (!is_shape(n, n, lda)) return kInvalidValue;
  return run<T>(name, handle, {operand("A", a, lda, n)}, 1.0 * n * n * n / 3, info, [=] {
    return math::factor_cholesky<T>(letter(fill), {n, n, a, lda});
  });
}

template <class T>
Status potrs(const char* name, const Handle* handle, Fill fill, int n, int columns, const T* a,
             int lda, T* b, int ldb, int* info) {
  if (!is_shape(n, n, lda) || !is_shape(n, columns, ldb)) return kInvalidValue;
  return run<T>(
      name, handle, {operand("A", a, lda, n), operand("B", b, ldb, columns)}, 2.0 * n * n * columns,
      info, [=] {
        return math::solve_cholesky<T>(letter(fill), {n, n, a, lda}, {n, columns, b, ldb});
      });
}

}  // namespace

extern "C" {

int cusolverDnCreate(Handle** made) {
  if (made == nullptr) return kInvalidValue;
  return *made = new Handle, kSuccess;
}
int cusolverDnDestroy(const Handle* handle) { return delete handle, kSuccess; }
int cusolverDnSetStream(Handle* handle, void* stream) {
  if (handle == nullptr) return kNotInitialized;
  return handle->stream = stream, kSuccess;
}
int cusolverDnGetStream(const Handle* handle, void** stream) {
  if (handle == nullptr) return kNotInitialized;
  if (stream == nullptr) return kInvalidValue;
  return *stream = handle->stream, kSuccess;
}

// Of one element type: its letter, its type, and how LAPACK names what is made of reflectors.
#define WL_SOLVER(L, T, MQR, GQR)                                                                  \
  int cusolverDn##L##getrf_bufferSize(Handle* h, int, int, T*, int, int* length) {                 \
    return no_space(h, length);                                                                    \
  }                                                                                                \
  int cusolverDn##L##getrf(Handle* h, int m, int n, T* a, int lda, T*, int* pivots, int* info) {   \
    return getrf("cusolverDn" #L "getrf", h, m, n, a, lda, pivots, info);                          \
  }                                                                                                \
  int cusolverDn##L##getrs(Handle* h, Op op, int n, int columns, const T* a, int lda,              \
                           const int* pivots, T* b, int ldb, int* info) {                          \
    return getrs("cusolverDn" #L "getrs", h, op, n, columns, a, lda, pivots, b, ldb, info);        \
  }                                                                                                \
  int cusolverDn##L##geqrf_bufferSize(Handle* h, int, int, T*, int, int* length) {                 \
    return no_space(h, length);                                                                    \
  }                                                                                                \
  int cusolverDn##L##geqrf(Handle* h, int m, int n, T* a, int lda, T* tau, T*, int, int* info) {   \
    return geqrf("cusolverDn" #L "geqrf", h, m, n, a, lda, tau, info);                             \
  }                                                                                                \
  int cusolverDn##L##MQR##_bufferSize(Handle* h, int, int, int, int, int, const T*, int, const T*, \
                                      const T*, int, int* length) {                                \
    return no_space(h, length);                                                                    \
  }                                                                                                \
  int cusolverDn##L##MQR(Handle* h, Side side, Op op, int m, int n, int k, const T* a, int lda,    \
                         const T* tau, T* c, int ldc, T*, int, int* info) {                        \
    return ormqr("cusolverDn" #L#MQR, h, side, op, m, n, k, a, lda, tau, c, ldc, info);            \
  }                                                                                                \
  int cusolverDn##L##GQR##_bufferSize(Handle* h, int, int, int, const T*, int, const T*,           \
                                      int* length) {                                               \
    return no_space(h, length);                                                                    \
  }                                                                                                \
  int cusolverDn##L##GQR(Handle* h, int m, int n, int k, T* a, int lda, const T* tau, T*, int,     \
                         int* info) {                                                              \
    return orgqr("cusolverDn" #L#GQR, h, m, n, k, a, lda, tau, info);                              \
  }                                                                                                \
  int cusolverDn##L##potrf_bufferSize(Handle* h, int, int, T*, int, int* length) {                 \
    return no_space(h, length);                                                                    \
  }                                                                                                \
  int cusolverDn##L##potrf(Handle* h, Fill fill, int n, T* a, int lda, T*, int, int* info) {       \
    return potrf("cusolverDn" #L "potrf", h, fill, n, a, lda, info);                               \
  }                                                                                                \
  int cusolverDn##L##potrs(Handle* h, Fill fill, int n, int columns, const T* a, int lda, T* b,    \
                           int ldb, int* info) {                                                   \
    return potrs("cusolverDn" #L "potrs", h, fill, n, columns, a, lda, b, ldb, info);              \
  }

WL_SOLVER(S, float, ormqr, orgqr)
WL_SOLVER(D, double, ormqr, orgqr)
WL_SOLVER(C, math::Complex, unmqr, ungqr)
WL_SOLVER(Z, math::DoubleComplex, unmqr, ungqr)
#undef WL_SOLVER

int wl_solver_not_here(const char* name) {
  refuse_library_call(name);
  return kNotSupported;
}
}
