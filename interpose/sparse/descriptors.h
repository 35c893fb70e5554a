// What cuSPARSE's handles point to. Descriptors of matrices are math::Sparse and math::Dense.
#pragma once

#include "interpose/library_call.h"
#include "interpose/math/sparse.h"

namespace warpledger::cuda::sparse {

/// The numbers of cusparseStatus_t.
enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kInvalidValue = 3,
  kExecutionFailed = 6,
  kNotSupported = 10,
};

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;  // 1: scalars lie on the device
};

}  // namespace warpledger::cuda::sparse
