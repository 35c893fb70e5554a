// Transposes, straight through global memory or over a tile in shared memory with and without padding.

// Reads along rows, writes along columns.
extern "C" __global__ void transpose_naive(const float* __restrict__ in, float* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

// Blocks of 32 x 16; the threads are numbered anew along the columns of the tile before they write.
extern "C" __global__ void transpose_tile_pad2(const float* __restrict__ in, float* out, int columns, int rows) {
  __shared__ float tile[16][32 + 2];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= columns || y >= rows) return;
  tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  const int b = threadIdx.y * blockDim.x + threadIdx.x, row = b / blockDim.y, column = b % blockDim.y;
  out[(blockIdx.x * 32 + row) * rows + blockIdx.y * 16 + column] = tile[column][row];
}

extern "C" __global__ void transpose_two_tiles_pad2(const float* __restrict__ in, float* out, int columns, int rows) {
  __shared__ float tile[16 * (64 + 2)];
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x + 32 >= columns || y >= rows) return;
  const int at = threadIdx.y * 66 + threadIdx.x;
  tile[at] = in[y * columns + x];
  tile[at + 32] = in[y * columns + x + 32];
  __syncthreads();
  const int b = threadIdx.y * blockDim.x + threadIdx.x, row = b / blockDim.y, column = b % blockDim.y;
  float* result = out + (blockIdx.x * 64 + row) * rows + blockIdx.y * 16 + column;
  result[0] = tile[column * 66 + row];
  result[32 * rows] = tile[column * 66 + row + 32];
}

template <int kPad>
__device__ void transpose_square(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_square_conflict(const float* in, float* out, int n) {
  transpose_square<0>(in, out, n);
}
extern "C" __global__ void transpose_square_padded(const float* in, float* out, int n) {
  transpose_square<1>(in, out, n);
}

// Doubles in column-major order.
extern "C" __global__ void transpose_f64_strided_load(int n, const double* in, double* out) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  if (row < n && column < n) out[column * n + row] = in[row * n + column];
}

extern "C" __global__ void transpose_f64_strided_store(int n, const double* in, double* out) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  if (row < n && column < n) out[row * n + column] = in[column * n + row];
}

template <int kPad>
__device__ void transpose_f64(int n, const double* in, double* out) {
  __shared__ double tile[32][32 + kPad];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  if (x + threadIdx.x < n && y + threadIdx.y < n) {
    tile[threadIdx.x][threadIdx.y] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  }
  __syncthreads();
  if (y + threadIdx.x < n && x + threadIdx.y < n) {
    out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
  }
}

extern "C" __global__ void transpose_f64_conflict(int n, const double* in, double* out) {
  transpose_f64<0>(n, in, out);
}
extern "C" __global__ void transpose_f64_padded(int n, const double* in, double* out) {
  transpose_f64<1>(n, in, out);
}
