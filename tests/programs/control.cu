// Calls, divergence, waiting.
#include <cassert>
#include <cstdio>
#include <cuda/barrier>
extern "C" {
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int negate(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function functions[3] = {twice, square, negate};
__global__ void pointers(int* out) { out[threadIdx.x] = functions[threadIdx.x % 3](threadIdx.x); }
struct Shape { __device__ virtual float area(float x) const = 0; };
struct Square : Shape { __device__ float area(float x) const override { return x * x; } };
struct Circle : Shape { __device__ float area(float x) const override { return 3.0f * x * x; } };
__global__ void virtual_calls(float* out) {
  Square s; Circle c;
  const Shape* shape = threadIdx.x % 2 ? (const Shape*)&s : (const Shape*)&c;
  out[threadIdx.x] = shape->area(threadIdx.x);
}
__global__ void many_ways(const int* x, int* out) {
  int t = threadIdx.x, r;
  switch (x[t] % 8) {
    case 0: r = t * 3; break; case 1: r = t + 100; break; case 2: r = t ^ 55; break; case 3: r = -t; break;
    case 4: r = t * t; break; case 5: r = t / 3; break; case 6: r = t % 7; break; default: r = 1;
  }
  out[t] = r;
}
__global__ void collatz(int* out) {
  unsigned long long v = threadIdx.x + 1; int k = 0;
  for (;;) { if (v == 1) break; if (v & 1) { v = 3 * v + 1; if (k > 200) { out[threadIdx.x] = -1; return; } } else v /= 2; ++k; }
  out[threadIdx.x] = k;
}
__global__ void nested(int* out) {
  int t = threadIdx.x, s = 0;
  for (int i = 0; i < t % 7; ++i) { if (i == 3) continue; for (int j = 0; j < t % 5; ++j) { if (j * i > 6) break; s += i * 10 + j; } }
  out[t] = s;
}
__global__ void spin_lock(int* lock, int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) { *(volatile int*)total += 1; __threadfence(); atomicExch(lock, 0); done = true; }
  }
}
__global__ void producer_consumer(int* out) {  // a warp writes, another polls
  __shared__ volatile int flag, box;
  if (threadIdx.x == 0) { flag = 0; }
  __syncthreads();
  if (threadIdx.x == 32) { for (int i = 1; i <= 10; ++i) { while (flag != 0) {} box = i * i; __threadfence_block(); flag = 1; } }
  if (threadIdx.x == 0) { int s = 0; for (int i = 1; i <= 10; ++i) { while (flag != 1) {} s += box; flag = 0; } *out = s; }
}
__global__ void named_barriers(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 64) { s[t] = t; asm volatile("bar.sync 1, 64;"); out[t] = s[63 - t]; }
  else { asm volatile("bar.sync 2, 64;"); out[t] = t; }
}
__global__ void local_array(const int* x, int* out) {
  int a[16];
  for (int i = 0; i < 16; ++i) a[i] = x[(threadIdx.x + i) % 32];
  for (int i = 1; i < 16; ++i) { int v = a[i], j = i; while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; --j; } a[j] = v; }
  out[threadIdx.x] = a[x[threadIdx.x] % 16];
}
__global__ void printing(int n) { if (threadIdx.x < n) printf("thread %d of %s: %5.2f %llx\n", threadIdx.x, "block", threadIdx.x * 0.5, 1ull << 40); }
__global__ void asserting(int n) { assert(threadIdx.x < n); }
__global__ void heap(int* out) {
  int* p = (int*)malloc(8 * sizeof(int));
  for (int i = 0; i < 8; ++i) p[i] = i * threadIdx.x;
  int s = 0;
  for (int i = 0; i < 8; ++i) s += p[i];
  out[threadIdx.x] = s;
  free(p);
}
__global__ void carries(const unsigned* a, const unsigned* b, unsigned* out) {  // 128-bit sums
  int t = threadIdx.x * 4;
  unsigned r0, r1, r2, r3;
  asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
      : "r"(a[t]), "r"(a[t + 1]), "r"(a[t + 2]), "r"(a[t + 3]), "r"(b[t]), "r"(b[t + 1]), "r"(b[t + 2]), "r"(b[t + 3]));
  out[t] = r0; out[t + 1] = r1; out[t + 2] = r2; out[t + 3] = r3;
}
__global__ void block_barrier(int* out) {  // cuda::barrier: mbarrier objects
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  int v = threadIdx.x;
  for (int i = 0; i < 3; ++i) { s[threadIdx.x] = v; bar.arrive_and_wait(); v = s[(threadIdx.x + 1) % 64]; bar.arrive_and_wait(); }
  out[threadIdx.x] = v;
}
__global__ void clocks(long long* out) { long long a = clock64(); __nanosleep(100); out[threadIdx.x] = clock64() - a > 0; }
}
