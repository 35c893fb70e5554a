// Matrix products: naive, tiled in shared memory, tiled in registers.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int base = 0; base < k; base += 16) {
    tile_a[threadIdx.y][threadIdx.x] = row < m && base + threadIdx.x < k ? a[row * k + base + threadIdx.x] : 0;
    tile_b[threadIdx.y][threadIdx.x] = col < n && base + threadIdx.y < k ? b[(base + threadIdx.y) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" __global__ void matmul_registers(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float tile_a[8][64], tile_b[8][64];
  float sums[4][4] = {};
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  for (int base = 0; base < k; base += 8) {
    for (int i = threadIdx.x; i < 512; i += 256) {
      tile_a[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * k + base + i % 8];
      tile_b[i / 64][i % 64] = b[(base + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float4 x = *reinterpret_cast<float4*>(&tile_a[i][ty * 4]);
      const float4 y = *reinterpret_cast<float4*>(&tile_b[i][tx * 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sums[r][s] += xs[r] * ys[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    float4* row = reinterpret_cast<float4*>(&c[(blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 + tx * 4]);
    *row = make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
  }
}
