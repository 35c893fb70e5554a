// Out = In transposed, three ways; transpose.toml says what each may cost.
constexpr int kTile = 32;

// Stores go down a column: 32 sectors a request.
extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

// Through shared memory, whose columns all lie in one bank.
extern "C" __global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// One more column: neighbors in a column lie in neighboring banks.
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
