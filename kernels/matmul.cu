// C = A * B in fp32, three ways: what the engine's speed is measured on (bench/engine.cpp).
// M, N and K are multiples of 64 for the register-tiled one.

// One element a thread, everything from global memory.
extern "C" __global__ void matmul_naive(const float* __restrict__ a, const float* __restrict__ b,
                                        float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Tiles of 16 x 16 in shared memory.
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                        float* c, int m, int n, int k) {
  constexpr int kTile = 16;
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int t = 0; t < k; t += kTile) {
    tile_a[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
    tile_b[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Tiles of 64 x 64, 4 x 4 elements a thread in registers; blocks of 16 x 16 threads.
extern "C" __global__ void matmul_register_tiled(const float* __restrict__ a,
                                                 const float* __restrict__ b, float* c, int m,
                                                 int n, int k) {
  constexpr int kTile = 64, kDepth = 16, kPart = 4;
  __shared__ float tile_a[kDepth][kTile], tile_b[kDepth][kTile];
  const int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  float sum[kPart][kPart] = {};
  for (int t = 0; t < k; t += kDepth) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int at = thread + part * 256;
      tile_a[at % kDepth][at / kDepth] = a[(row + at / kDepth) * k + t + at % kDepth];
      tile_b[at / kTile][at % kTile] = b[(t + at / kTile) * n + column + at % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      float left[kPart], right[kPart];
#pragma unroll
      for (int p = 0; p < kPart; ++p) left[p] = tile_a[i][y + 16 * p], right[p] = tile_b[i][x + 16 * p];
#pragma unroll
      for (int p = 0; p < kPart; ++p) {
#pragma unroll
        for (int q = 0; q < kPart; ++q) sum[p][q] += left[p] * right[q];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < kPart; ++p) {
#pragma unroll
    for (int q = 0; q < kPart; ++q) c[(row + y + 16 * p) * n + column + x + 16 * q] = sum[p][q];
  }
}
