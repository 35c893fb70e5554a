// nvcc: -lcusolver
// cuSOLVER: a system of equations whose matrix a kernel made, by LU, by QR and by Cholesky.
#include <cusolverDn.h>

#include "check.h"

#define SOLVER(call) CHECK_STATUS(call, status_number)

constexpr int kSize = 32;

/// Symmetric, and its diagonal outweighs the rest: every method takes it.
__global__ void fill(double* a, double* b) {
  const int i = threadIdx.x;
  double sum = 0;
  for (int j = 0; j < kSize; ++j) {
    a[j * kSize + i] = i == j ? 2.0 * kSize : 1.0 / (1 + abs(i - j));
    sum += a[j * kSize + i] * (j + 1);
  }
  b[i] = sum;  // x[j] = j + 1
}

bool is_solved(const double* x) {
  const std::vector<double> made = to_host(x, kSize);
  for (int i = 0; i < kSize; ++i) {
    if (std::abs(made[i] - (i + 1)) > 1e-12 * kSize) return false;
  }
  return true;
}

int main() {
  double* a = to_device(std::vector<double>(kSize * kSize));
  double* b = to_device(std::vector<double>(kSize));
  double* tau = to_device(std::vector<double>(kSize));
  int *pivots = to_device(std::vector<int>(kSize)), *info = to_device(std::vector<int>{7});
  cusolverDnHandle_t handle;
  SOLVER(cusolverDnCreate(&handle));
  int length = 0;
  SOLVER(cusolverDnDgetrf_bufferSize(handle, kSize, kSize, a, kSize, &length));
  double* work = to_device(std::vector<double>(length));

  fill<<<1, kSize>>>(a, b);
  SOLVER(cusolverDnDgetrf(handle, kSize, kSize, a, kSize, work, pivots, info));
  SOLVER(cusolverDnDgetrs(handle, CUBLAS_OP_N, kSize, 1, a, kSize, pivots, b, kSize, info));
  bool right = is_solved(b) && to_host(info, 1)[0] == 0;

  fill<<<1, kSize>>>(a, b);
  SOLVER(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, kSize, a, kSize, work, length, info));
  SOLVER(cusolverDnDpotrs(handle, CUBLAS_FILL_MODE_LOWER, kSize, 1, a, kSize, b, kSize, info));
  right = right && is_solved(b);

  fill<<<1, kSize>>>(a, b);
  SOLVER(cusolverDnDgeqrf(handle, kSize, kSize, a, kSize, tau, work, length, info));
  SOLVER(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, kSize, 1, kSize, a, kSize, tau, b, kSize, work,
                          length, info));
  std::vector<double> r = to_host(a, kSize * kSize), x = to_host(b, kSize);
  for (int i = kSize - 1; i >= 0; --i) {
    for (int j = i + 1; j < kSize; ++j) x[i] -= r[j * kSize + i] * x[j];
    x[i] /= r[i * kSize + i];
    right = right && std::abs(x[i] - (i + 1)) < 1e-12 * kSize;
  }
  right = right && cusolverDnDgesvd_bufferSize(handle, kSize, kSize, &length) == CUSOLVER_STATUS_NOT_SUPPORTED;
  SOLVER(cusolverDnDestroy(handle));
  printf("%s\n", right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
