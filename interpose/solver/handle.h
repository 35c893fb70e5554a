// What cuSOLVER's handle points to, and its numbers.
#pragma once

namespace warpledger::cuda::solver {

/// The numbers of cusolverStatus_t.
enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kInvalidValue = 3,
  kExecutionFailed = 6,
  kNotSupported = 9,
};

struct Handle {
  void* stream = nullptr;
};

}  // namespace warpledger::cuda::solver
