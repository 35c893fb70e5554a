// A histogram of bytes: private counters in shared memory, then global ones.
extern "C" __global__ void histogram(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 c = in[i];
    atomicAdd(&mine[c.x], 1u);
    atomicAdd(&mine[c.y], 1u);
    atomicAdd(&mine[c.z], 1u);
    atomicAdd(&mine[c.w], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (mine[i] != 0) atomicAdd(&bins[i], mine[i]);
  }
}
