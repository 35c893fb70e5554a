// Handles, the one algorithm there is, and the product.
#include <array>
#include <cstring>

#include "interpose/blas_lt/descriptors.h"
#include "interpose/math/openblas.h"

namespace math = warpledger::math;
using namespace warpledger::cuda;
using namespace warpledger::cuda::blas;
using namespace warpledger::cuda::blas_lt;

namespace {

using math::Gemm;
using math::Matrix;
using Bytes = std::array<std::byte, 16>;

constexpr size_t kVersion = 130100;
constexpr int kFastTf32 = 77;

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  uint64_t algorithm[8] = {};
  size_t workspace_bytes = 0;
  int status = 0;
  float waves = 0;
  int reserved[4] = {};
};

void move(Matrix& matrix, int64_t elements) {
  matrix.data = static_cast<std::byte*>(matrix.data) + elements * math::size_of(matrix.type);
}

Gemm nth(const Matmul& matmul, int64_t i) {
  Gemm gemm = matmul.gemm;
  move(gemm.a, i * matmul.a_stride);
  move(gemm.b, i * matmul.b_stride);
  move(gemm.c, i * matmul.c_stride);
  move(gemm.d, i * matmul.d_stride);
  math::Epilogue& epilogue = gemm.epilogue;
  if (epilogue.bias) move(*epilogue.bias, i * matmul.bias_stride);
  if (epilogue.gradient_to) move(*epilogue.gradient_to, i * matmul.bias_stride);
  if (epilogue.aux) move(*epilogue.aux, i * matmul.aux_stride);
  return gemm;
}

Operand operand(const char* name, const Matrix& matrix, int64_t rows, int64_t columns, int batch,
                int64_t stride) {
  const int64_t bytes = math::size_of(matrix.type);
  Operand one = matrix_operand(name, matrix.data, rows, columns, matrix.ld, bytes);
  if (one.bytes > 0) one.bytes += static_cast<uint64_t>((batch - 1) * stride * bytes);
  return one;
}

std::vector<Operand> operands_of(const Matmul& matmul, bool reads_c) {
  const Gemm& gemm = matmul.gemm;
  const bool a_turned = gemm.a_op != math::Op::kNone, b_turned = gemm.b_op != math::Op::kNone;
  std::vector<Operand> all{operand("A", gemm.a, a_turned ? gemm.k : gemm.m,
                                   a_turned ? gemm.m : gemm.k, matmul.batch, matmul.a_stride),
                           operand("B", gemm.b, b_turned ? gemm.n : gemm.k,
                                   b_turned ? gemm.k : gemm.n, matmul.batch, matmul.b_stride),
                           operand("D", gemm.d, gemm.m, gemm.n, matmul.batch, matmul.d_stride)};
  if (reads_c) all.push_back(operand("C", gemm.c, gemm.m, gemm.n, matmul.batch, matmul.c_stride));
  const math::Epilogue& epilogue = gemm.epilogue;
  if (epilogue.bias)
    all.push_back(operand("bias", *epilogue.bias, gemm.m, 1, matmul.batch, matmul.bias_stride));
  if (epilogue.aux)
    all.push_back(operand("aux", *epilogue.aux, gemm.m, gemm.n, matmul.batch, matmul.aux_stride));
  return all;
}

bool is_zero(const Bytes& scalar) {
  return std::ranges::all_of(scalar, [](std::byte one) { return one == std::byte{0}; });
}

/// The host's scalars are copied, the device's read when the product is made.
struct Scalars {
  Bytes alpha = {}, beta = {};
  const void *alpha_there = nullptr, *beta_there = nullptr;
};
Scalars scalars_of(const MatmulDesc& desc, const void* alpha, const void* beta) {
  if (desc.pointer_mode == 1) return {.alpha_there = alpha, .beta_there = beta};
  Scalars made;
  const auto bytes = static_cast<size_t>(math::size_of(math::Type(desc.scale_type)));
  std::memcpy(made.alpha.data(), alpha, bytes);
  std::memcpy(made.beta.data(), beta, bytes);
  return made;
}

Status run_matmul(const Matmul& matmul, const Scalars& scalars, bool allows_tf32, void* stream) {
  const GemmCost cost = cost_of(matmul.gemm, allows_tf32);
  const bool reads_c = scalars.beta_there != nullptr || !is_zero(scalars.beta);
  return as_status(
      run_library_call(stream, {.library = "cuBLASLt",
                                .name = "cublasLtMatmul",
                                .operands = operands_of(matmul, reads_c),
                                .flops = cost.flops * matmul.batch,
                                .pipe = cost.pipe,
                                .compute = [=] {
                                  for (int64_t i = 0; i < matmul.batch; ++i) {
                                    Gemm each = nth(matmul, i);
                                    const bool there = scalars.alpha_there != nullptr;
                                    each.alpha = there ? scalars.alpha_there : scalars.alpha.data();
                                    each.beta = there ? scalars.beta_there : scalars.beta.data();
                                    compute(each);
                                  }
                                }}));
}

}  // namespace

extern "C" {

int cublasLtCreate(void** handle) {
  if (handle == nullptr) return kInvalidValue;
  if (!math::has_openblas()) {
    Core::say("cuBLASLt needs libopenblas.so.0 here (Debian: apt install libopenblas0)");
    return kNotInitialized;
  }
  *handle = new int{};
  return kSuccess;
}
int cublasLtDestroy(void* handle) {
  if (handle == nullptr) return kNotInitialized;
  return delete static_cast<int*>(handle), kSuccess;
}
size_t cublasLtGetVersion() { return kVersion; }
size_t cublasLtGetCudartVersion() { return 13000; }
const char* cublasLtGetStatusName(int status) {
  const char* name = name_of(status);
  return name != nullptr ? name : "unknown cublasStatus_t";
}
const char* cublasLtGetStatusString(int status) { return cublasLtGetStatusName(status); }
int cublasLtLoggerSetLevel(int) { return kSuccess; }
int cublasLtLoggerSetMask(int) { return kSuccess; }
int cublasLtLoggerForceDisable() { return kSuccess; }

int cublasLtMatmulAlgoGetHeuristic(void* handle, MatmulDesc* desc, Layout* a, Layout* b, Layout* c,
                                   Layout* d, Preference*, int asked, Heuristic* results,
                                   int* count) {
  if (handle == nullptr) return kNotInitialized;
  if (!desc || !a || !b || !c || !d || !results || !count || asked < 1) return kInvalidValue;
  *count = 0;
  Matmul matmul;
  const Status status = make_matmul(*desc, {a, b, c, d}, matmul);
  if (status != kSuccess) return status;
  results[0] = {.status = kSuccess};
  return *count = 1, kSuccess;
}

int cublasLtMatmul(void* handle, MatmulDesc* desc, const void* alpha, const void* a,
                   Layout* a_layout, const void* b, Layout* b_layout, const void* beta,
                   const void* c, Layout* c_layout, void* d, Layout* d_layout, const void*, void*,
                   size_t, void* stream) {
  if (handle == nullptr) return kNotInitialized;
  if (!desc || !a_layout || !b_layout || !c_layout || !d_layout || !alpha || !beta || !d)
    return kInvalidValue;
  Matmul matmul;
  const Status status = make_matmul(*desc, {a_layout, b_layout, c_layout, d_layout}, matmul);
  if (status != kSuccess) return status;
  const bool swapped = d_layout->order == 1;
  matmul.gemm.a.data = const_cast<void*>(swapped ? b : a);
  matmul.gemm.b.data = const_cast<void*>(swapped ? a : b);
  matmul.gemm.c.data = const_cast<void*>(c);
  matmul.gemm.d.data = d;
  return run_matmul(matmul, scalars_of(*desc, alpha, beta), desc->compute_type == kFastTf32,
                    stream);
}

int wl_blas_lt_not_here(const char* name) {
  refuse_library_call(name);
  return kNotSupported;
}
}
