// Transposes a matrix of n x n floats through shared memory, so that reads and writes are rows.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];  // one float of padding: the elements of a column are in different banks
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
