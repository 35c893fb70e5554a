// One element in, one out: sums, products, copies and fills with coalesced accesses, and the same with vectors,
// structures or a shift between read and write. Cases: see cases.toml.
#include <cuda_fp16.h>

// y[i] = a[i] + b[i], one element a thread.
extern "C" __global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

// The grid walks over the arrays.
extern "C" __global__ void add_striding(float* sum, const float* a, const float* b, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ sum,
                                 float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a * x[i] + y[i];
}

extern "C" __global__ void daxpy(int n, double a, const double* x, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}

extern "C" __global__ void multiply3(const float* a, const float* b, const float* c, float* product, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) product[i] = a[i] * b[i] * c[i];
}

extern "C" __global__ void relu(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fmaxf(in[i], 0.0f);
}

// Four elements a thread: one load of 16 bytes, four stores of 4.
extern "C" __global__ void relu_vector(const float* in, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  const float4 v = *reinterpret_cast<const float4*>(in + i);
  out[i] = fmaxf(v.x, 0.0f);
  out[i + 1] = fmaxf(v.y, 0.0f);
  out[i + 2] = fmaxf(v.z, 0.0f);
  out[i + 3] = fmaxf(v.w, 0.0f);
}

extern "C" __global__ void relu_through_shared(const float* in, float* out, int n) {
  __shared__ float staged[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  staged[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = fmaxf(staged[threadIdx.x], 0.0f);
}

__device__ float silu(float x) { return x / (1.0f + expf(-x)); }

// A square matrix: one vector a thread, stored value by value; what a vector does not cover is done one by one.
extern "C" __global__ void silu_vector(float* in, float* out, int side) {
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x * 4, i = first + t * 4;
  if (i + 3 < side * side) {
    const float4 v = *reinterpret_cast<float4*>(&in[i]);
    const float x = silu(v.x), y = silu(v.y), z = silu(v.z), w = silu(v.w);
    out[i] = x;
    out[i + 1] = y;
    out[i + 2] = z;
    out[i + 3] = w;
  } else if (i < side * side) {
    for (int j = 0; j < 4; ++j) {
      if (i + j < side * side) out[i + j] = silu(in[i + j]);
    }
  }
}

__device__ float quick_silu(float x) { return __fdividef(x, 1.0f + __expf(-x)); }

// What Triton makes of a 128 x 128 tile with 32 warps: warp w takes rows w, w + 32, ..., a lane 4 columns.
extern "C" __global__ void __launch_bounds__(1024, 2) silu_tile(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  const int column = blockIdx.y * 128 + (threadIdx.x & 31) * 4;
  const int first = blockIdx.x * 128 + (threadIdx.x >> 5);
  float4 v[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (first + 32 * j < rows && column < columns) {
      v[j] = *reinterpret_cast<const float4*>(in + (first + 32 * j) * columns + column);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float4 y = {quick_silu(v[j].x), quick_silu(v[j].y), quick_silu(v[j].z), quick_silu(v[j].w)};
    if (first + 32 * j < rows && column < columns) {
      *reinterpret_cast<float4*>(out + (first + 32 * j) * columns + column) = y;
    }
  }
}

// What Triton makes of a row of up to 1024 columns with 4 warps when rows are not aligned: scalar accesses.
extern "C" __global__ void square_row(float* out, const float* in, int in_pitch, int out_pitch, int columns) {
  const float* row = in + blockIdx.x * in_pitch;
  float* result = out + blockIdx.x * out_pitch;
  float v[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int column = threadIdx.x + 128 * j;
    v[j] = column < columns ? row[column] : 0.0f;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int column = threadIdx.x + 128 * j;
    if (column < columns) result[column] = v[j] * v[j];
  }
}

extern "C" __global__ void fill_half(half* out, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(value);
}

extern "C" __global__ void copy_2d(const float* in, float* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[y * columns + x] = in[y * columns + x];
}

__device__ __forceinline__ float load_past_l1(const float* p) {
  float value;
  asm("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(p));
  return value;
}

// The reads are shifted, the write is not.
extern "C" __global__ void add_shifted(const float* a, const float* b, float* sum, int n, int offset) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
  if (k < n) sum[i] = load_past_l1(a + k) + load_past_l1(b + k);
}

struct Point {
  float x, y;
};

extern "C" __global__ void add_to_points(const Point* in, Point* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i].x = in[i].x + 10.0f;
  out[i].y = in[i].y + 20.0f;
}

struct Points {
  float x[1 << 22], y[1 << 22];
};

extern "C" __global__ void add_to_arrays(const Points* in, Points* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out->x[i] = in->x[i] + 10.0f;
  out->y[i] = in->y[i] + 20.0f;
}

// Twelve sums that live at once.
extern "C" __global__ void add_with_many_registers(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = a[i], y = b[i];
  float sums[12];
#pragma unroll
  for (int j = 0; j < 12; ++j) sums[j] = (j & 1 ? x : y) * (1.0f + j);
#pragma unroll
  for (int step = 0; step < 32; ++step) {
#pragma unroll
    for (int j = 0; j < 12; ++j) sums[j] = sums[j] * (j & 1 ? y : x) + 0.5f * (j + 1);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 12; ++j) sum += sums[j];
  out[i] = sum;
}
