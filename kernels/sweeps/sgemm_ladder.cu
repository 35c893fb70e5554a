// C = alpha A B + beta C in fp32, row-major, M = N = K = n, as a ladder of kernels: each step differs from the one before in one thing.
//
//   sgemm_1    32 x 32 threads   one output a thread; lanes run down a column
//   sgemm_2    1024              lanes run along a row
//   sgemm_3    1024              tiles of 32 x 32 in shared memory
//   sgemm_4    512               64 x 64 a block, 8 outputs of a column a thread
//   sgemm_5    256               128 x 128 a block, 8 x 8 a thread, slices of 8
//   sgemm_6    256               128-bit copies, A's slice turned
//   sgemm_7    256               B's slice laid out so that a thread's values are 16 apart
//   sgemm_8    256               B's rows 5 floats longer
//   sgemm_9    256               as 6 with slices of 16
//   sgemm_10   128               a warp has 64 x 64 of the block's 128 x 128, a thread 8 x 4 of each 64 x 16
namespace {

__device__ float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }
__device__ void store4(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }

}  // namespace

extern "C" __global__ void sgemm_1(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

extern "C" __global__ void sgemm_2(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

extern "C" __global__ void sgemm_3(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  __shared__ float tile_a[32 * 32], tile_b[32 * 32];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32, row = blockIdx.x * 32 + y, column = blockIdx.y * 32 + x;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    tile_a[y * 32 + x] = a[row * n + t + x];
    tile_b[y * 32 + x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile_a[y * 32 + k] * tile_b[k * 32 + x];
    __syncthreads();
  }
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

extern "C" __global__ void sgemm_4(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  constexpr int kTile = 64, kSlice = 8, kEach = 8;
  __shared__ float slice_a[kTile * kSlice], slice_b[kSlice * kTile];
  const int thread = threadIdx.x, x = thread % kTile, y = thread / kTile;
  a += blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  c += blockIdx.y * kTile * n + blockIdx.x * kTile;
  float sum[kEach] = {};
  for (int t = 0; t < n; t += kSlice) {
    slice_a[thread] = a[thread / kSlice * n + t + thread % kSlice];
    slice_b[thread] = b[(t + thread / kTile) * n + thread % kTile];
    __syncthreads();
    for (int k = 0; k < kSlice; ++k) {
      const float right = slice_b[k * kTile + x];
      for (int i = 0; i < kEach; ++i) sum[i] += slice_a[(y * kEach + i) * kSlice + k] * right;
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    float& to = c[(y * kEach + i) * n + x];
    to = alpha * sum[i] + beta * to;
  }
}

namespace {

constexpr int kTile = 128, kEach = 8;

/// 8 x 8 outputs of a thread at (8 y, 8 x) of the block's tile; `Slices` has the two slices and how they are copied and read.
template <class Slices, bool kVectors>
__device__ __forceinline__ void registers_8x8(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  __shared__ Slices slices;
  const int x = threadIdx.x % (kTile / kEach), y = threadIdx.x / (kTile / kEach);
  a += blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  c += (blockIdx.y * kTile + y * kEach) * n + blockIdx.x * kTile + x * kEach;
  float sum[kEach * kEach] = {};
  for (int t = 0; t < n; t += Slices::kDepth) {
    slices.copy(a + t, b + t * n, n);
    __syncthreads();
    for (int k = 0; k < Slices::kDepth; ++k) {
      float left[kEach], right[kEach];
      for (int i = 0; i < kEach; ++i) left[i] = slices.left(k, y, i);
      for (int i = 0; i < kEach; ++i) right[i] = slices.right(k, x, i);
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) sum[i * kEach + j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; j += kVectors ? 4 : 1) {
      float* to = c + i * n + j;
      const float* from = sum + i * kEach + j;
      if constexpr (kVectors) {
        const float4 old = load4(to);
        store4(to, make_float4(alpha * from[0] + beta * old.x, alpha * from[1] + beta * old.y, alpha * from[2] + beta * old.z, alpha * from[3] + beta * old.w));
      } else {
        *to = alpha * *from + beta * *to;
      }
    }
  }
}

struct ScalarSlices {
  static constexpr int kDepth = 8;
  float a[kTile * kDepth], b[kDepth * kTile];

  __device__ void copy(const float* from_a, const float* from_b, int n) {
    for (int row = threadIdx.x / kDepth, i = 0; i < kTile; i += 256 / kDepth) {
      a[(row + i) * kDepth + threadIdx.x % kDepth] = from_a[(row + i) * n + threadIdx.x % kDepth];
    }
    for (int row = threadIdx.x / kTile, i = 0; i < kDepth; i += 256 / kTile) {
      b[(row + i) * kTile + threadIdx.x % kTile] = from_b[(row + i) * n + threadIdx.x % kTile];
    }
  }
  __device__ float left(int k, int y, int i) const { return a[(y * kEach + i) * kDepth + k]; }
  __device__ float right(int k, int x, int i) const { return b[k * kTile + x * kEach + i]; }
};

/// Where four values of B's row k from column 4 v on are kept.
enum class Layout { kRows, kApart, kLonger };

template <int kSlice, Layout kLayout, int kThreads = 256>
struct VectorSlices {
  static constexpr int kDepth = kSlice, kRow = kLayout == Layout::kLonger ? kTile + 5 : kTile;
  alignas(16) float a[kDepth * kTile];
  alignas(16) float b[kDepth * kRow];

  __device__ void copy(const float* from_a, const float* from_b, int n) {
    constexpr int kPerRow = kDepth / 4, kVectors = kTile / 4;
    for (int row = threadIdx.x / kPerRow, v = threadIdx.x % kPerRow, i = 0; i < kTile; i += kThreads / kPerRow) {
      const float4 value = load4(from_a + (row + i) * n + v * 4);
      a[(v * 4) * kTile + row + i] = value.x;
      a[(v * 4 + 1) * kTile + row + i] = value.y;
      a[(v * 4 + 2) * kTile + row + i] = value.z;
      a[(v * 4 + 3) * kTile + row + i] = value.w;
    }
    for (int row = threadIdx.x / kVectors, v = threadIdx.x % kVectors, i = 0; i < kDepth; i += kThreads / kVectors) {
      keep(row + i, v, load4(from_b + (row + i) * n + v * 4));
    }
  }
  __device__ void keep(int row, int v, float4 value) {
    if constexpr (kLayout == Layout::kRows) {
      store4(b + row * kRow + v * 4, value);
      return;
    }
    const float each[] = {value.x, value.y, value.z, value.w};
    for (int i = 0; i < 4; ++i) {
      b[kLayout == Layout::kApart ? (row * 8 + v % 2 * 4 + i) * 16 + v / 2 : row * kRow + v * 4 + i] = each[i];
    }
  }
  __device__ float left(int k, int y, int i) const { return a[k * kTile + y * kEach + i]; }
  __device__ float right(int k, int x, int i) const { return b[kLayout == Layout::kApart ? (k * 8 + i) * 16 + x : k * kRow + x * kEach + i]; }
};

}  // namespace

#define SGEMM(number, threads, ...)                                                                                           \
  extern "C" __global__ void __launch_bounds__(threads) sgemm_##number(const float* a, const float* b, float* c, int n, float alpha, float beta) { \
    __VA_ARGS__(a, b, c, n, alpha, beta);                                                                                     \
  }

SGEMM(5, 256, registers_8x8<ScalarSlices, false>)
SGEMM(6, 256, registers_8x8<VectorSlices<8, Layout::kRows>, true>)
SGEMM(7, 256, registers_8x8<VectorSlices<8, Layout::kApart>, true>)
SGEMM(8, 256, registers_8x8<VectorSlices<8, Layout::kLonger>, true>)
SGEMM(9, 256, registers_8x8<VectorSlices<16, Layout::kRows>, true>)

namespace {

constexpr int kWarpTile = 64, kParts = 4, kPart = kWarpTile / kParts, kTall = 8, kWide = 4;

__device__ __forceinline__ void multiply_parts(const VectorSlices<16, Layout::kRows, 128>& slices, float (&sum)[kParts][kTall][kWide], int row, int column) {
  for (int k = 0; k < 16; ++k) {
    float left[kTall], right[kParts][kWide];
    for (int i = 0; i < kTall; ++i) left[i] = slices.a[k * kTile + row + i];
    for (int p = 0; p < kParts; ++p) {
      for (int j = 0; j < kWide; ++j) right[p][j] = slices.b[k * kTile + column + p * kPart + j];
    }
    for (int p = 0; p < kParts; ++p) {
      for (int i = 0; i < kTall; ++i) {
        for (int j = 0; j < kWide; ++j) sum[p][i][j] += left[i] * right[p][j];
      }
    }
  }
}

__device__ __forceinline__ void warp_tiles(const float* a, const float* b, float* c, int n, float alpha, float beta) {
  __shared__ VectorSlices<16, Layout::kRows, 128> slices;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / 2 * kWarpTile + lane / 4 * kTall, column = warp % 2 * kWarpTile + lane % 4 * kWide;
  a += blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  c += (blockIdx.y * kTile + row) * n + blockIdx.x * kTile + column;
  float sum[kParts][kTall][kWide] = {};
  for (int t = 0; t < n; t += 16) {
    slices.copy(a + t, b + t * n, n);
    __syncthreads();
    multiply_parts(slices, sum, row, column);
    __syncthreads();
  }
  for (int p = 0; p < kParts; ++p) {
    for (int i = 0; i < kTall; ++i) {
      float* to = c + i * n + p * kPart;
      const float4 old = load4(to);
      const float(&s)[kWide] = sum[p][i];
      store4(to, make_float4(alpha * s[0] + beta * old.x, alpha * s[1] + beta * old.y, alpha * s[2] + beta * old.z, alpha * s[3] + beta * old.w));
    }
  }
}

}  // namespace

SGEMM(10, 128, warp_tiles)
