// The names of GEMM: every one with int and (_64) with int64_t.
#include "interpose/blas/gemm.h"

namespace warpledger::cuda::blas {
namespace {

using math::Complex;
using math::DoubleComplex;
using math::Half;
using math::Type;

constexpr int kFastTf32 = 77;

math::Gemm shape(int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void* alpha,
                 const void* beta) {
  math::Gemm gemm{.a_op = math::Op(a_op), .b_op = math::Op(b_op), .m = m, .n = n, .k = k};
  gemm.alpha = alpha;
  gemm.beta = beta;
  return gemm;
}

/// All of one type.
math::Gemm of_type(math::Gemm gemm, Type type) {
  gemm.a.type = gemm.b.type = gemm.c.type = gemm.scale = type;
  gemm.accumulate = type == Type::kR16F ? Type::kR32F : type;
  return gemm;
}

math::Gemm with(math::Gemm gemm, const void* a, int64_t lda, const void* b, int64_t ldb,
                const void* c, int64_t ldc) {
  gemm.a = {const_cast<void*>(a), gemm.a.type, lda};
  gemm.b = {const_cast<void*>(b), gemm.b.type, ldb};
  gemm.c = {const_cast<void*>(c), gemm.c.type, ldc};
  return gemm;
}

math::Gemm typed(math::Gemm gemm, int a, int b, int c) {
  gemm.a.type = Type(a);
  gemm.b.type = Type(b);
  gemm.c.type = Type(c);
  return gemm;
}

Status do_gemm_ex(const char* name, const Handle* handle, math::Gemm gemm, Batch batch,
                  int compute_type) {
  if (handle == nullptr) return kNotInitialized;
  if (!set_compute_type(gemm, compute_type)) return kNotSupported;
  return do_gemm(name, handle, gemm, batch, compute_type == kFastTf32);
}

/// The older forms say by their letter what is summed in.
Status do_gemm_of(const char* name, const Handle* handle, math::Gemm gemm, Type sums) {
  gemm.accumulate = gemm.scale = sums;
  return do_gemm(name, handle, gemm, {});
}

}  // namespace

#define WL_NAMES "interpose/blas/gemm_names.inc"
#include "interpose/blas/both_widths.inc"

}  // namespace warpledger::cuda::blas
