// cuda::barrier and cuda::pipeline.
#include <cuda/barrier>
#include <cuda/pipeline>

extern "C" __global__ void barrier_objects(const int* in, int* out) {
  __shared__ int tile[128];
#if __CUDA_ARCH__ >= 800
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), barrier);
  barrier.arrive_and_wait();
  auto token = barrier.arrive();
  barrier.wait(static_cast<decltype(token)&&>(token));
  if (threadIdx.x > 64) barrier.arrive_and_drop();
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(tile + threadIdx.x, in + 128 + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  pipe.consumer_release();
#else
  tile[threadIdx.x] = in[threadIdx.x];
#endif
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
