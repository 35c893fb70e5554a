// interpose/blas_lt/: our libcublasLt.so.13, over the same GEMM as interpose/blas. It knows the ABI
// of CUDA 13.0's cuBLASLt; it must not know how anything is computed. This file: its descriptors. A
// program may hold them itself, in the sizes that its headers give them.
#pragma once

#include "interpose/blas/gemm.h"

namespace warpledger::cuda::blas_lt {

using blas::Status;

inline constexpr size_t kLayoutBytes = 64, kDescBytes = 256, kPreferenceBytes = 64;

struct Layout {
  int type = 0;
  int order = 0;  // 0: columns first, 1: rows first
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0;
  int batch = 1;
  int64_t stride = 0;  // between matrices of the batch, in elements
};
static_assert(sizeof(Layout) <= kLayoutBytes);

struct MatmulDesc {
  int compute_type = 0, scale_type = 0;
  int pointer_mode = 0;
  int a_op = 0, b_op = 0, c_op = 0;
  int fill = 2;      // CUBLAS_FILL_MODE_FULL
  int epilogue = 1;  // CUBLASLT_EPILOGUE_DEFAULT
  void* bias = nullptr;
  int64_t bias_stride = 0;
  int bias_type = -1;  // D's
  void* aux = nullptr;
  int64_t aux_ld = 0, aux_stride = 0;
  int aux_type = -1;  // D's
  int sm_count_target = 0;
  int8_t fast_accumulation = 0;
};
static_assert(sizeof(MatmulDesc) <= kDescBytes);

/// None of it changes what is computed here.
struct Preference {
  uint64_t workspace_bytes = 0;
  uint64_t implementations = ~uint64_t{0};
  uint32_t search_mode = 0, reductions = ~uint32_t{0};
  uint32_t alignments[4] = {256, 256, 256, 256};
  float waves = 0;
};
static_assert(sizeof(Preference) <= kPreferenceBytes);

/// Which matrices of what: a Gemm, and how far each of its batch is from the one before.
struct Matmul {
  math::Gemm gemm = {};
  int batch = 1;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0, d_stride = 0;
  int64_t bias_stride = 0, aux_stride = 0;
};

struct MatmulLayouts {
  const Layout *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
};

/// Without pointers to A, B, C and D. kInvalidValue where shapes do not match, kNotSupported (and a
/// line) for what we do not have.
[[nodiscard]] Status make_matmul(const MatmulDesc& desc, const MatmulLayouts& layouts,
                                 Matmul& made);

}  // namespace warpledger::cuda::blas_lt
