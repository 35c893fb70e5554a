// How the forms of GEMM become math::Gemm: one matrix, matrices at a stride, or lists of pointers.
#pragma once

#include "interpose/blas/handle.h"
#include "interpose/math/gemm.h"

namespace warpledger::cuda::blas {

struct Batch {
  int64_t count = 1;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;  // in elements
  const void* const* a_list = nullptr;               // instead: pointers, on the device
  const void* const* b_list = nullptr;
  void* const* c_list = nullptr;
};

/// The types behind a cublasComputeType_t, as C is real or complex; false: none of ours.
[[nodiscard]] bool set_compute_type(math::Gemm& gemm, int compute_type);

/// Which units it runs on, and its products counted for their rate.
struct GemmCost {
  MathPipe pipe = MathPipe::kFp32;
  double flops = 0;
};
[[nodiscard]] GemmCost cost_of(const math::Gemm& gemm, bool allows_tf32);

/// kInvalidValue for sizes and leading dimensions that BLAS forbids, kNotSupported (and a line) for
/// types that we do not have.
[[nodiscard]] Status check_gemm(const char* name, const math::Gemm& gemm);

/// alpha and beta are of type gemm.scale, where the handle's mode says. D is C.
[[nodiscard]] Status do_gemm(const char* name, const Handle* handle, math::Gemm gemm, Batch batch,
                             bool allows_tf32 = false);

}  // namespace warpledger::cuda::blas
