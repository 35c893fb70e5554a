// C = A B in fp32, row-major, from the naive form to register tiles.

// One element a thread, a block of 16 x 16 or 32 x 32; no test of bounds.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}

// The same from the block's first row and column. Indices are unsigned, as threadIdx is: they may wrap, so that each access computes
// its address anew (three times the instructions).
extern "C" __global__ void matmul_naive_of_block(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float *rows = a + blockIdx.y * 16 * k, *columns = b + blockIdx.x * 16;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += rows[threadIdx.y * k + i] * columns[i * n + threadIdx.x];
  c[y * n + x] = sum;
}

extern "C" __global__ void matmul_naive_bounded(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}

// A block of 1024 threads in a line makes 32 x 32; C is scaled and added.
extern "C" __global__ void matmul_line_of_threads(int m, int n, int k, float alpha, const float* a, const float* b,
                                                  float beta, float* c) {
  const int y = blockIdx.x * 32 + threadIdx.x / 32, x = blockIdx.y * 32 + threadIdx.x % 32;
  if (x >= n || y >= m) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = alpha * sum + beta * c[y * n + x];
}

// All of k in shared memory before the product.
extern "C" __global__ void matmul_whole_k(const float* a, const float* b, float* c, int m, int n, int k) {
  constexpr int kTile = 16, kK = 384;
  __shared__ float tile_a[kTile][kK], tile_b[kK][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const float *rows = a + blockIdx.y * blockDim.y * k, *columns = b + blockIdx.x * blockDim.x;
  for (int i = 0; i < k; i += blockDim.x) {
    tile_a[threadIdx.y][threadIdx.x + i] = rows[threadIdx.x + i + threadIdx.y * k];
    tile_b[threadIdx.y + i][threadIdx.x] = columns[threadIdx.x + (threadIdx.y + i) * n];
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
  c[y * n + x] = sum;
}

template <int kTile>
__device__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int i = 0; i < k; i += kTile) {
    tile_a[ty][tx] = a[y * k + i + tx];
    tile_b[ty][tx] = b[(i + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kTile; ++j) sum += tile_a[ty][j] * tile_b[j][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

extern "C" __global__ void matmul_tile16(const float* a, const float* b, float* c, int m, int n, int k) {
  tiled<16>(a, b, c, m, n, k);
}
extern "C" __global__ void matmul_tile32(const float* a, const float* b, float* c, int m, int n, int k) {
  tiled<32>(a, b, c, m, n, k);
}

// From the block's first row and column, by unsigned indices; the step is blockDim's, so that the loop is not unrolled.
template <int kTile>
__device__ void tiled_of_block(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const float *rows = a + blockIdx.y * blockDim.y * k, *columns = b + blockIdx.x * blockDim.x;
  float sum = 0;
  for (int i = 0; i < k; i += blockDim.x) {
    tile_a[threadIdx.y][threadIdx.x] = rows[threadIdx.x + i + threadIdx.y * k];
    tile_b[threadIdx.y][threadIdx.x] = columns[threadIdx.x + (threadIdx.y + i) * n];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) sum += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

extern "C" __global__ void matmul_tile16_of_block(const float* a, const float* b, float* c, int m, int n, int k) {
  tiled_of_block<16>(a, b, c, n, k);
}
extern "C" __global__ void matmul_tile32_of_block(const float* a, const float* b, float* c, int m, int n, int k) {
  tiled_of_block<32>(a, b, c, n, k);
}

// The depth of the tiles is chosen at run time; edges are filled with zeros.
extern "C" __global__ void matmul_dynamic_tile(const float* a, const float* b, float* c, int m, int n, int k,
                                               int depth) {
  extern __shared__ float shared[];
  float *tile_a = shared, *tile_b = shared + blockDim.y * depth;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty;
  float sum = 0;
  for (int i = 0; i < k; i += depth) {
    for (int j = tx; j < depth; j += blockDim.x) {
      tile_a[ty * depth + j] = y < m && i + j < k ? a[y * k + i + j] : 0.0f;
    }
    for (int j = ty; j < depth; j += blockDim.y) {
      tile_b[j * blockDim.x + tx] = x < n && i + j < k ? b[(i + j) * n + x] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < depth; ++j) sum += tile_a[ty * depth + j] * tile_b[j * blockDim.x + tx];
    __syncthreads();
  }
  if (y < m && x < n) c[y * n + x] = sum;
}
