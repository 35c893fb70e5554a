// Dynamic shared memory beside static; its size from a special register.
extern __shared__ __align__(16) unsigned char pool[];

extern "C" __global__ void dynamic_shared(const float* in, float* out) {
  __shared__ float fixed[64];
  float* rows = reinterpret_cast<float*>(pool);
  unsigned bytes, total;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  fixed[threadIdx.x % 64] = in[threadIdx.x];
  rows[threadIdx.x] = in[threadIdx.x] * bytes + total;
  __syncthreads();
  out[threadIdx.x] = rows[blockDim.x - 1 - threadIdx.x] + fixed[(threadIdx.x + 1) % 64];
}
