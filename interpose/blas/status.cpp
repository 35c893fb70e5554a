#include "interpose/blas/handle.h"

namespace warpledger::cuda::blas {

Status as_status(Error error) {
  switch (error) {
    case Error::kNone:
      return kSuccess;
    case Error::kOutOfMemory:
      return kAllocFailed;
    case Error::kInvalidValue:
    case Error::kInvalidHandle:
      return kInvalidValue;
    default:
      return kExecutionFailed;
  }
}

const char* name_of(int status) {
  switch (status) {
    case kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kArchMismatch:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case kMappingError:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kInternalError:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case kLicenseError:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return nullptr;
  }
}

}  // namespace warpledger::cuda::blas
