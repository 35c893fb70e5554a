// Device functions: calls with structures, recursion, function pointers, printf, assert.
#include <cassert>
#include <cstdio>

struct Pair {
  float first;
  double second;
};

__noinline__ __device__ Pair swap_scaled(Pair p, int k) {
  return {static_cast<float>(p.second) * k, static_cast<double>(p.first) / k};
}

__noinline__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
using Unary = int (*)(int);
__device__ Unary table[2] = {twice, square};

extern "C" __global__ void functions(Pair* pairs, int* out, int which) {
  pairs[threadIdx.x] = swap_scaled(pairs[threadIdx.x], which + 1);
  out[threadIdx.x] = fibonacci(threadIdx.x % 8) + table[which & 1](threadIdx.x);
  assert(which >= 0);
  if (threadIdx.x == 0) printf("which = %d, %f\n", which, pairs[0].second);
}
