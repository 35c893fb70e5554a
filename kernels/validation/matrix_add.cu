// C = A + B over 1000 x 1000 or 1024 x 1024, with one or several elements a thread, next to each other or far apart.

extern "C" __global__ void add_1d(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Elements 4 g .. 4 g + 3; the arrays may overlap, so the accesses stay in this order.
extern "C" __global__ void add_1d_blocked4(const float* a, const float* b, float* c, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 >= n) return;
#pragma unroll
  for (int j = 0; j < 4; ++j) c[i + j] = a[i + j] + b[i + j];
}

// Elements g, g + T, g + 2 T, g + 3 T of T threads; nothing tests the end.
extern "C" __global__ void add_1d_striped4(const float* a, const float* b, float* c) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 4; ++j) c[i + j * threads] = a[i + j * threads] + b[i + j * threads];
}

template <int kPerThread>
__device__ void add_2d(const float* a, const float* b, float* c, int columns, int rows) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * kPerThread, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) c[y * columns + x + j] = a[y * columns + x + j] + b[y * columns + x + j];
}

extern "C" __global__ void add_2d_1(const float* a, const float* b, float* c, int columns, int rows) {
  add_2d<1>(a, b, c, columns, rows);
}
extern "C" __global__ void add_2d_2(const float* a, const float* b, float* c, int columns, int rows) {
  add_2d<2>(a, b, c, columns, rows);
}
extern "C" __global__ void add_2d_4(const float* a, const float* b, float* c, int columns, int rows) {
  add_2d<4>(a, b, c, columns, rows);
}
extern "C" __global__ void add_2d_8(const float* a, const float* b, float* c, int columns, int rows) {
  add_2d<8>(a, b, c, columns, rows);
}
