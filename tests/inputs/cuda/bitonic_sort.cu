// A bitonic sort of keys with values in shared memory.
template <class Key>
__device__ void sort(Key* keys, short* values, int n) {
  for (int size = 2; size <= n; size *= 2) {
    for (int by = size / 2; by > 0; by /= 2) {
      __syncthreads();
      const int a = 2 * threadIdx.x - (threadIdx.x & (by - 1)), b = a + by;
      const bool up = (threadIdx.x & (size / 2)) == 0;
      if ((keys[a] > keys[b]) == up) {
        const Key k = keys[a];
        keys[a] = keys[b], keys[b] = k;
        const short v = values[a];
        values[a] = values[b], values[b] = v;
      }
    }
  }
  __syncthreads();
}

extern "C" __global__ void bitonic_sort(double* keys, short* values) {
  __shared__ double k[512];
  __shared__ short v[512];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) k[i] = keys[i], v[i] = values[i];
  sort(k, v, 512);
  for (int i = threadIdx.x; i < 512; i += blockDim.x) keys[i] = k[i], values[i] = v[i];
}
