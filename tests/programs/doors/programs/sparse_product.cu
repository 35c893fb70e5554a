// nvcc: -lcusparse
// cuSPARSE: a Laplacian times a vector that a kernel made, and times a matrix.
#include <cusparse.h>

#include "check.h"

#define SPARSE(call) CHECK_STATUS(call, cusparseGetErrorName)

constexpr int kSize = 100;

__global__ void squares(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<float>(i * i);
}

int main() {
  std::vector<int> offsets{0}, columns;
  std::vector<float> values;
  for (int i = 0; i < kSize; ++i) {
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= kSize) continue;
      columns.push_back(j);
      values.push_back(j == i ? -2.0f : 1.0f);
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  float *x = to_device(std::vector<float>(2 * kSize)), *y = to_device(std::vector<float>(2 * kSize));
  squares<<<1, 128>>>(x, kSize);
  squares<<<1, 128>>>(x + kSize, kSize);
  cusparseHandle_t handle;
  SPARSE(cusparseCreate(&handle));
  cusparseSpMatDescr_t a;
  SPARSE(cusparseCreateCsr(&a, kSize, kSize, static_cast<int64_t>(values.size()), to_device(offsets),
                           to_device(columns), to_device(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  cusparseDnVecDescr_t vx, vy;
  SPARSE(cusparseCreateDnVec(&vx, kSize, x, CUDA_R_32F));
  SPARSE(cusparseCreateDnVec(&vy, kSize, y, CUDA_R_32F));
  const float one = 1, zero = 0;
  size_t bytes = 0;
  SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F,
                                 CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F,
                      CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  bool right = true;
  std::vector<float> made = to_host(y, kSize);
  for (int i = 1; i + 1 < kSize; ++i) right = right && made[i] == 2;
  cusparseDnMatDescr_t mx, my;
  SPARSE(cusparseCreateDnMat(&mx, kSize, 2, kSize, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE(cusparseCreateDnMat(&my, kSize, 2, kSize, y, CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE(cusparseSpMM(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, mx, &one, my,
                      CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
  made = to_host(y, 2 * kSize);
  for (int i = 1; i + 1 < kSize; ++i) right = right && made[i] == 4 && made[kSize + i] == 2;
  SPARSE(cusparseDestroy(handle));
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
