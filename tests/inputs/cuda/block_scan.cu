// A scan of a block: shuffles within warps, shared memory between them.
extern "C" __global__ void block_scan(const int* in, int* out, int n) {
  __shared__ int sums[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int x = i < n ? in[i] : 0;
  for (int by = 1; by < 32; by *= 2) {
    const int y = __shfl_up_sync(0xffffffff, x, by);
    if (lane >= by) x += y;
  }
  if (lane == 31) sums[threadIdx.x / 32] = x;
  __syncthreads();
  for (int w = 0; w < static_cast<int>(threadIdx.x / 32); ++w) x += sums[w];
  if (i < n) out[i] = x;
}
