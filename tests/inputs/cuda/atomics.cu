// Atomics of every operation, width and scope; fences; volatile accesses.
#include <cuda_fp16.h>

#include <cuda/atomic>

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d,
                                   __half2* h) {
  __shared__ int counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  const int t = threadIdx.x;
  i[1] = atomicAdd(i, t) + atomicSub(&counter, t) + atomicExch(i + 2, t) + atomicCAS(i + 3, t, 7);
  u[1] = atomicMin(u, t) + atomicMax(u + 2, t) + atomicInc(u + 3, 5) + atomicDec(u + 4, 5);
  u[5] = atomicAnd(u + 6, t) | atomicOr(u + 7, t) | atomicXor(u + 8, t);
  l[1] = atomicAdd(l, 3ull) + atomicCAS(l + 2, 1ull, 2ull) + atomicMax(l + 3, 4ull);
  f[1] = atomicAdd(f, 1.0f);
  d[1] = atomicAdd(d, 1.0);
  atomicAdd(h, __half2half2(__float2half(1.0f)));
  atomicAdd_block(i + 4, 1);
  atomicAdd_system(i + 5, 1);
}

extern "C" __global__ void ordered(cuda::atomic<int, cuda::thread_scope_device>* flag,
                                   volatile int* data, int* out) {
  if (threadIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    flag->store(1, cuda::std::memory_order_release);
    __threadfence_block();
    __threadfence_system();
  } else {
    while (flag->load(cuda::std::memory_order_acquire) == 0) __nanosleep(20);
    out[threadIdx.x] = data[0] + flag->fetch_add(1, cuda::std::memory_order_acq_rel);
  }
}
