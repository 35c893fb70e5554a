// D = A B of halves, A row-major, B column-major, D row-major: operands of small integers, the
// product known exactly.
#pragma once

#include <cuda_runtime.h>
#include <cutlass/numeric_types.h>

#include <cstdio>
#include <vector>

constexpr int kM = 256, kN = 128, kK = 192;

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

  /// The process's exit code; says PASSED when every element is right.
  int judge(cutlass::Status status) const {
    if (status != cutlass::Status::kSuccess)
      return printf("%s\n", cutlassGetStatusString(status)), 1;
    if (const cudaError_t error = cudaDeviceSynchronize())
      return printf("%s\n", cudaGetErrorString(error)), 1;
    std::vector<cutlass::half_t> d(kM * kN);
    cudaMemcpy(d.data(), device_d, d.size() * sizeof(cutlass::half_t), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kM * kN; ++i) {
      float want = 0;
      for (int k = 0; k < kK; ++k) want += float(a[i / kN * kK + k]) * float(b[i % kN * kK + k]);
      if (float(d[i]) != want) return printf("element %d is %g, not %g\n", i, float(d[i]), want), 1;
    }
    printf("PASSED\n");
    return 0;
  }
};
