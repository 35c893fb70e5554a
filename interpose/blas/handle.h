// interpose/blas/: our libcublas.so.13, a thin translation of cuBLAS's interface to interpose/math.
// It knows the ABI of CUDA 13.0's cuBLAS, declared here by ourselves (handles are pointers, enums
// are ints); it must not know how anything is computed.
#pragma once

#include "interpose/library_call.h"
#include "interpose/math/number.h"

namespace warpledger::cuda::blas {

/// The numbers of cublasStatus_t.
enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kArchMismatch = 8,
  kMappingError = 11,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15,
  kLicenseError = 16,
};
[[nodiscard]] Status as_status(Error error);
/// CUBLAS_STATUS_...; null where it is none.
[[nodiscard]] const char* name_of(int status);

/// What a cublasHandle_t points to.
struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;  // 1: scalars lie on the device
  int math_mode = 0;
  int atomics_mode = 0;
  int sm_count_target = 0;
};
inline constexpr int kTf32Math = 3;

/// alpha or beta: a copy in host mode, the device's own in device mode, which a graph reads anew.
template <class T>
struct Scalar {
  T value{};
  const T* device = nullptr;
  [[nodiscard]] T get() const { return device != nullptr ? *device : value; }
};
template <class T>
Scalar<T> scalar(const Handle& handle, const T* from) {
  if (handle.pointer_mode == 1) return {T{}, from};
  return {*from, nullptr};
}

/// What a vector or a matrix takes in memory.
template <class T>
Operand vector_operand(const char* name, const T* data, int64_t n, int64_t increment) {
  const int64_t elements = n <= 0 ? 0 : 1 + (n - 1) * std::abs(increment);
  return {name, data, static_cast<uint64_t>(elements) * sizeof(T)};
}
inline Operand matrix_operand(const char* name, const void* data, int64_t rows, int64_t columns,
                              int64_t ld, int64_t element_bytes) {
  const bool none = rows <= 0 || columns <= 0;
  const int64_t elements = none ? 0 : (columns - 1) * ld + rows;
  return {name, data, static_cast<uint64_t>(elements * element_bytes)};
}

template <class T>
constexpr MathPipe kPipe = sizeof(math::Real<T>) == 8 ? MathPipe::kFp64 : MathPipe::kFp32;
/// Of one product and sum.
template <class T>
constexpr double kFlops = math::kIsComplex<T> ? 8 : 2;

inline Status run(const Handle& handle, LibraryCall call) {
  call.library = "cuBLAS";
  return as_status(run_library_call(handle.stream, std::move(call)));
}

}  // namespace warpledger::cuda::blas
