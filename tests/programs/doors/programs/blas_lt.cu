// nvcc: -lcublasLt
// cuBLASLt: D = gelu(A B + bias) in bf16, orders, and an epilogue that we do not have.
#include <cublasLt.h>
#include <cuda_bf16.h>

#include "check.h"

#define LT(call) CHECK_STATUS(call, cublasLtGetStatusName)

constexpr int kM = 8, kN = 5, kK = 6;

__global__ void to_bf16(const float* from, __nv_bfloat16* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = __float2bfloat16(from[i]);
}

__nv_bfloat16* bf16(const std::vector<float>& values) {
  __nv_bfloat16* made = nullptr;
  CHECK(cudaMalloc(&made, values.size() * sizeof *made));
  to_bf16<<<1, 64>>>(to_device(values), made, static_cast<int>(values.size()));
  return made;
}

std::vector<float> quarters(size_t count, unsigned seed) {
  std::vector<float> made(count);
  for (size_t i = 0; i < count; ++i)
    made[i] = std::floor(any_float(seed + static_cast<unsigned>(i)) * 9 - 4) / 4;
  return made;
}

template <class T>
void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  LT(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value));
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

int main() {
  // A is stored k by m and transposed, as in llm.c.
  const std::vector<float> a = quarters(kK * kM, 1), b = quarters(kK * kN, 99), bias = quarters(kM, 7);
  __nv_bfloat16 *da = bf16(a), *db = bf16(b), *dbias = bf16(bias), *dd = bf16(std::vector<float>(kM * kN));
  cublasLtHandle_t handle;
  LT(cublasLtCreate(&handle));
  cublasLtMatmulDesc_t desc;
  LT(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(desc, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
  set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(dbias));
  cublasLtMatrixLayout_t la, lb, ld;
  LT(cublasLtMatrixLayoutCreate(&la, CUDA_R_16BF, kK, kM, kK));
  LT(cublasLtMatrixLayoutCreate(&lb, CUDA_R_16BF, kK, kN, kK));
  LT(cublasLtMatrixLayoutCreate(&ld, CUDA_R_16BF, kM, kN, kM));
  cublasLtMatmulPreference_t preference;
  LT(cublasLtMatmulPreferenceCreate(&preference));
  const size_t workspace = 1 << 20;
  LT(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                          sizeof workspace));
  int found = 0;
  cublasLtMatmulHeuristicResult_t heuristic;
  LT(cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 1, &heuristic, &found));
  const float one = 1, zero = 0;
  LT(cublasLtMatmul(handle, desc, &one, da, la, db, lb, &zero, dd, ld, dd, ld, &heuristic.algo, nullptr, 0, nullptr));
  const std::vector<__nv_bfloat16> d = to_host(dd, kM * kN);
  bool right = found == 1;
  for (int j = 0; j < kN; ++j) {
    for (int i = 0; i < kM; ++i) {
      double sum = bias[i];
      for (int l = 0; l < kK; ++l) sum += a[i * kK + l] * b[j * kK + l];
      const float wanted = __bfloat162float(__float2bfloat16(static_cast<float>(gelu(sum))));
      right = right && __bfloat162float(d[j * kM + i]) == wanted;
    }
  }
  // Rows first on both sides, in floats: D = A B as C programmers write it.
  float *fa = to_device(a), *fb = to_device(b), *fd = to_device(std::vector<float>(kM * kN));
  cublasLtMatmulDescOpaque_t plain;
  LT(cublasLtMatmulDescInit(&plain, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  cublasLtMatrixLayoutOpaque_t ra, rb, rd;
  LT(cublasLtMatrixLayoutInit(&ra, CUDA_R_32F, kM, kK, kK));
  LT(cublasLtMatrixLayoutInit(&rb, CUDA_R_32F, kK, kN, kN));
  LT(cublasLtMatrixLayoutInit(&rd, CUDA_R_32F, kM, kN, kN));
  const cublasLtOrder_t rows = CUBLASLT_ORDER_ROW;
  for (cublasLtMatrixLayout_t one_of : {&ra, &rb, &rd})
    LT(cublasLtMatrixLayoutSetAttribute(one_of, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows));
  LT(cublasLtMatmul(handle, &plain, &one, fa, &ra, fb, &rb, &zero, fd, &rd, fd, &rd, nullptr, nullptr, 0, nullptr));
  const std::vector<float> by_rows = to_host(fd, kM * kN);
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) {
      float sum = 0;
      for (int l = 0; l < kK; ++l) sum += a[i * kK + l] * b[l * kN + j];
      right = right && by_rows[i * kN + j] == sum;
    }
  }
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
  right = right && cublasLtMatmul(handle, desc, &one, da, la, db, lb, &zero, dd, ld, dd, ld, nullptr, nullptr, 0,
                                  nullptr) == CUBLAS_STATUS_NOT_SUPPORTED;
  LT(cublasLtDestroy(handle));
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
