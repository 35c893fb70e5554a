// C = A B in fp32 with several outputs a thread: 1 x 4, 2 x 2, and 8 x 8 with two buffers.

namespace {

constexpr int kTile = 32;

__device__ const float4& vector(const float& first) { return reinterpret_cast<const float4&>(first); }
__device__ float4& vector(float& first) { return reinterpret_cast<float4&>(first); }

}  // namespace

extern "C" __global__ void matmul_1x4(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float* row_a = a + (blockIdx.y * kTile + ty) * k + 4 * tx;
  const float* row_b = b + ty * n + blockIdx.x * kTile + 4 * tx;
  float sum[4] = {};
  for (int i = 0; i < k; i += kTile) {
    vector(tile_a[ty][4 * tx]) = vector(row_a[i]);
    vector(tile_b[ty][4 * tx]) = vector(row_b[i * n]);
    __syncthreads();
#pragma unroll
    for (int o = 0; o < 4; ++o) {
#pragma unroll
      for (int j = 0; j < kTile; ++j) sum[o] += tile_a[ty][j] * tile_b[j][4 * tx + o];
    }
    __syncthreads();
  }
  float* row_c = c + (blockIdx.y * kTile + ty) * n + blockIdx.x * kTile + 4 * tx;
#pragma unroll
  for (int o = 0; o < 4; ++o) row_c[o] = sum[o];
}

extern "C" __global__ void matmul_2x2(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * blockDim.x + tx, x = id % 16 * 2, y = id / 16 * 2;
  const float* row_a = a + (blockIdx.y * kTile + ty) * k + 4 * tx;
  const float* row_b = b + ty * n + blockIdx.x * kTile + 4 * tx;
  float sum[2][2] = {}, of_a[2], of_b[2];
  for (int i = 0; i < k; i += kTile) {
    vector(tile_a[ty][4 * tx]) = vector(row_a[i]);
    vector(tile_b[ty][4 * tx]) = vector(row_b[i * n]);
    __syncthreads();
    for (int j = 0; j < kTile; ++j) {
      of_a[0] = tile_a[y][j], of_a[1] = tile_a[y + 1][j];
      of_b[0] = tile_b[j][x], of_b[1] = tile_b[j][x + 1];
      for (int p = 0; p < 2; ++p) {
        for (int q = 0; q < 2; ++q) sum[p][q] += of_a[p] * of_b[q];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    c[(blockIdx.y * kTile + y + o / 2) * n + blockIdx.x * kTile + x + o % 2] = sum[o / 2][o % 2];
  }
}

namespace {

struct Slices {
  float a[2][8][128], b[2][8][128];
};

// One slice of 8 columns of A, turned, and 8 rows of B.
__device__ void copy_slice(Slices& s, int buffer, const float* a, const float* b, int id) {
  const float4 from_a = *reinterpret_cast<const float4*>(a);
  const int row = id / 2, column = id % 2 * 4;
  s.a[buffer][column][row] = from_a.x;
  s.a[buffer][column + 1][row] = from_a.y;
  s.a[buffer][column + 2][row] = from_a.z;
  s.a[buffer][column + 3][row] = from_a.w;
  vector(s.b[buffer][id / 32][id % 32 * 4]) = *reinterpret_cast<const float4*>(b);
}

__device__ void multiply_slice(const Slices& s, int buffer, float (&sum)[8][8], int tx, int ty) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    float a[8], b[8];
    vector(a[0]) = vector(s.a[buffer][k][8 * ty]);
    vector(a[4]) = vector(s.a[buffer][k][8 * ty + 4]);
    vector(b[0]) = vector(s.b[buffer][k][8 * tx]);
    vector(b[4]) = vector(s.b[buffer][k][8 * tx + 4]);
#pragma unroll
    for (int i = 0; i < 64; ++i) sum[i / 8][i % 8] += a[i / 8] * b[i % 8];
  }
}

}  // namespace

extern "C" __global__ void matmul_8x8(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Slices slices;
  const int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx;
  const float* from_a = a + (blockIdx.y * 128 + id / 2) * k + id % 2 * 4;
  const float* from_b = b + id / 32 * n + blockIdx.x * 128 + id % 32 * 4;
  float sum[8][8] = {};
  copy_slice(slices, 0, from_a, from_b, id);
  __syncthreads();
  int buffer = 0;
  for (int i = 8; i < k; i += 8) {
    copy_slice(slices, buffer ^ 1, from_a + i, from_b + i * n, id);
    multiply_slice(slices, buffer, sum, tx, ty);
    __syncthreads();
    buffer ^= 1;
  }
  multiply_slice(slices, buffer, sum, tx, ty);
#pragma unroll
  for (int y = 0; y < 8; ++y) {
    float* row = c + (blockIdx.y * 128 + 8 * ty + y) * n + blockIdx.x * 128 + 8 * tx;
    vector(row[0]) = vector(sum[y][0]);
    vector(row[4]) = vector(sum[y][4]);
  }
}
