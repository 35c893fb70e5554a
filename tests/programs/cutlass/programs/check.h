// D = A B of halves, A row-major, B column-major, D row-major: operands of small integers, the
// product known exactly.
#pragma once

#include <cuda_runtime.h>
#include <cutlass/numeric_types.h>

#include <cstdio>
#include <vector>

#ifdef GEMM_SIZE  // all three extents: a size that is worth timing
constexpr int kM = GEMM_SIZE, kN = GEMM_SIZE, kK = GEMM_SIZE;
#else
constexpr int kM = 256, kN = 128, kK = 192;
#endif
constexpr int kChecked = 32768;  // elements, evenly over D

struct Problem {
  std::vector<cutlass::half_t> a, b;
  cutlass::half_t *device_a = nullptr, *device_b = nullptr, *device_d = nullptr;

  Problem() : a(kM * kK), b(kN * kK) {
    for (int i = 0; i < kM * kK; ++i) a[i] = cutlass::half_t(float(i * 7 % 5 - 2));
    for (int i = 0; i < kN * kK; ++i) b[i] = cutlass::half_t(float(i * 11 % 7 - 3));
    cudaMalloc(&device_a, a.size() * sizeof(cutlass::half_t));
    cudaMalloc(&device_b, b.size() * sizeof(cutlass::half_t));
    cudaMalloc(&device_d, kM * kN * sizeof(cutlass::half_t));
    cudaMemcpy(device_a, a.data(), a.size() * sizeof(cutlass::half_t), cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), b.size() * sizeof(cutlass::half_t), cudaMemcpyHostToDevice);
  }

  /// The process's exit code; says PASSED when every element that is looked at is right.
  int judge(cutlass::Status status) const {
    if (status != cutlass::Status::kSuccess)
      return printf("%s\n", cutlassGetStatusString(status)), 1;
    if (const cudaError_t error = cudaDeviceSynchronize())
      return printf("%s\n", cudaGetErrorString(error)), 1;
    std::vector<cutlass::half_t> d(kM * kN);
    cudaMemcpy(d.data(), device_d, d.size() * sizeof(cutlass::half_t), cudaMemcpyDeviceToHost);
    // A step without a common factor with the row's length, so that every column comes up.
    constexpr int step = kM * kN > kChecked ? kM * kN / kChecked + 1 : 1;
    for (int i = 0; i < kM * kN; i += step) {
      float want = 0;
      for (int k = 0; k < kK; ++k) want += float(a[i / kN * kK + k]) * float(b[i % kN * kK + k]);
      want = float(cutlass::half_t(want));
      if (float(d[i]) != want) return printf("element %d is %g, not %g\n", i, float(d[i]), want), 1;
    }
    printf("PASSED\n");
    return 0;
  }
};
