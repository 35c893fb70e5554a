// Functions that call themselves and each other, with locals that live in memory.
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

extern "C" __global__ void recursion(int* out) {
  out[threadIdx.x] = ackermann(2, threadIdx.x) + (is_even(threadIdx.x) ? 100 : 0);
}
