// The kernels of docs/tutorial.md: one matrix transpose, three times.
#define TILE 32

// Reads rows, writes columns: every store of a warp touches 32 lines.
extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) {
    out[x * n + y + j] = in[(y + j) * n + x];
  }
}

// Turns the tile in shared memory, so that reads and writes are rows.
extern "C" __global__ void transpose_shared(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) {
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// One column of padding puts the elements of a column into different banks.
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) {
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
