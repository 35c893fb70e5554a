// Handles, their settings, and copies between host and device.
#include "interpose/blas/handle.h"

#include "interpose/math/openblas.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::blas;

namespace {

constexpr int kVersion = 130100, kMajor = 13, kMinor = 1, kPatch = 0;

Status copy(void* stream, CopyWork work, bool waits) {
  if (work.width == 0 || work.height == 0) return kSuccess;
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  Stream* const one = core.timeline().find(stream);
  if (one == nullptr) return kInvalidValue;
  const Error error = core.submit(*one, work);
  if (error != Error::kNone) return kMappingError;
  return waits ? as_status(core.synchronize(*one)) : kSuccess;
}

Status copy_vector(int64_t n, int64_t bytes, const void* x, int64_t incx, void* y, int64_t incy,
                   void* stream, bool waits) {
  if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0) return kInvalidValue;
  const bool is_dense = incx == 1 && incy == 1;
  const auto count = static_cast<uint64_t>(n), size = static_cast<uint64_t>(bytes);
  return copy(stream,
              {.to = reinterpret_cast<uint64_t>(y),
               .from = reinterpret_cast<uint64_t>(x),
               .width = is_dense ? count * size : size,
               .height = is_dense ? 1 : count,
               .to_pitch = is_dense ? count * size : static_cast<uint64_t>(incy) * size,
               .from_pitch = is_dense ? count * size : static_cast<uint64_t>(incx) * size},
              waits);
}

Status copy_matrix(int64_t rows, int64_t columns, int64_t bytes, const void* a, int64_t lda,
                   void* b, int64_t ldb, void* stream, bool waits) {
  if (rows < 0 || columns < 0 || bytes <= 0 || lda <= 0 || ldb <= 0) return kInvalidValue;
  if (lda < rows || ldb < rows) return kInvalidValue;
  return copy(stream,
              {.to = reinterpret_cast<uint64_t>(b),
               .from = reinterpret_cast<uint64_t>(a),
               .width = static_cast<uint64_t>(rows * bytes),
               .height = static_cast<uint64_t>(columns),
               .to_pitch = static_cast<uint64_t>(ldb * bytes),
               .from_pitch = static_cast<uint64_t>(lda * bytes)},
              waits);
}

Status set(Handle* handle, int Handle::*field, int value) {
  if (handle == nullptr) return kNotInitialized;
  handle->*field = value;
  return kSuccess;
}

Status get(const Handle* handle, int Handle::*field, int* value) {
  if (handle == nullptr) return kNotInitialized;
  if (value == nullptr) return kInvalidValue;
  *value = handle->*field;
  return kSuccess;
}

}  // namespace

extern "C" {

int cublasCreate_v2(Handle** handle) {
  if (handle == nullptr) return kInvalidValue;
  if (!warpledger::math::has_openblas()) {
    Core::say("cuBLAS needs libopenblas.so.0 here (Debian: apt install libopenblas0)");
    return kNotInitialized;
  }
  *handle = new Handle;
  return kSuccess;
}
int cublasDestroy_v2(Handle* handle) {
  if (handle == nullptr) return kNotInitialized;
  delete handle;
  return kSuccess;
}
int cublasGetVersion_v2(Handle*, int* version) {
  if (version == nullptr) return kInvalidValue;
  return *version = kVersion, kSuccess;
}
int cublasGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return kInvalidValue;
  *value = property == 0 ? kMajor : property == 1 ? kMinor : kPatch;
  return kSuccess;
}
size_t cublasGetCudartVersion() { return 13000; }
const char* cublasGetStatusName(int status) {
  const char* name = name_of(status);
  return name != nullptr ? name : "unknown cublasStatus_t";
}
const char* cublasGetStatusString(int status) { return cublasGetStatusName(status); }

int cublasSetStream_v2(Handle* handle, void* stream) {
  if (handle == nullptr) return kNotInitialized;
  return handle->stream = stream, kSuccess;
}
int cublasGetStream_v2(Handle* handle, void** stream) {
  if (handle == nullptr) return kNotInitialized;
  if (stream == nullptr) return kInvalidValue;
  return *stream = handle->stream, kSuccess;
}
// Nothing here needs room of the program's.
int cublasSetWorkspace_v2(Handle* handle, void*, size_t) {
  return handle == nullptr ? kNotInitialized : kSuccess;
}
int cublasSetPointerMode_v2(Handle* handle, int mode) {
  if (mode != 0 && mode != 1) return kInvalidValue;
  return set(handle, &Handle::pointer_mode, mode);
}
int cublasGetPointerMode_v2(Handle* handle, int* mode) {
  return get(handle, &Handle::pointer_mode, mode);
}
int cublasSetMathMode(Handle* handle, int mode) { return set(handle, &Handle::math_mode, mode); }
int cublasGetMathMode(Handle* handle, int* mode) { return get(handle, &Handle::math_mode, mode); }
int cublasSetAtomicsMode(Handle* handle, int mode) {
  return set(handle, &Handle::atomics_mode, mode);
}
int cublasGetAtomicsMode(Handle* handle, int* mode) {
  return get(handle, &Handle::atomics_mode, mode);
}
int cublasSetSmCountTarget(Handle* handle, int count) {
  return set(handle, &Handle::sm_count_target, count);
}
int cublasGetSmCountTarget(Handle* handle, int* count) {
  return get(handle, &Handle::sm_count_target, count);
}
int cublasLoggerConfigure(int, int, int, const char*) { return kSuccess; }
int cublasSetLoggerCallback(void*) { return kSuccess; }
int cublasGetLoggerCallback(void** callback) {
  if (callback == nullptr) return kInvalidValue;
  return *callback = nullptr, kSuccess;
}

#define WL_COPIES(SUFFIX, INT)                                                                   \
  int cublasSetVector##SUFFIX(INT n, INT bytes, const void* x, INT incx, void* y, INT incy) {    \
    return copy_vector(n, bytes, x, incx, y, incy, nullptr, true);                               \
  }                                                                                              \
  int cublasGetVector##SUFFIX(INT n, INT bytes, const void* x, INT incx, void* y, INT incy) {    \
    return copy_vector(n, bytes, x, incx, y, incy, nullptr, true);                               \
  }                                                                                              \
  int cublasSetMatrix##SUFFIX(INT rows, INT columns, INT bytes, const void* a, INT lda, void* b, \
                              INT ldb) {                                                         \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr, true);                     \
  }                                                                                              \
  int cublasGetMatrix##SUFFIX(INT rows, INT columns, INT bytes, const void* a, INT lda, void* b, \
                              INT ldb) {                                                         \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, nullptr, true);                     \
  }                                                                                              \
  int cublasSetVectorAsync##SUFFIX(INT n, INT bytes, const void* x, INT incx, void* y, INT incy, \
                                   void* stream) {                                               \
    return copy_vector(n, bytes, x, incx, y, incy, stream, false);                               \
  }                                                                                              \
  int cublasGetVectorAsync##SUFFIX(INT n, INT bytes, const void* x, INT incx, void* y, INT incy, \
                                   void* stream) {                                               \
    return copy_vector(n, bytes, x, incx, y, incy, stream, false);                               \
  }                                                                                              \
  int cublasSetMatrixAsync##SUFFIX(INT rows, INT columns, INT bytes, const void* a, INT lda,     \
                                   void* b, INT ldb, void* stream) {                             \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, stream, false);                     \
  }                                                                                              \
  int cublasGetMatrixAsync##SUFFIX(INT rows, INT columns, INT bytes, const void* a, INT lda,     \
                                   void* b, INT ldb, void* stream) {                             \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, stream, false);                     \
  }
WL_COPIES(, int)
WL_COPIES(_64, int64_t)
#undef WL_COPIES

int wl_blas_not_here(const char* name) {
  refuse_library_call(name);
  return kNotSupported;
}
}
