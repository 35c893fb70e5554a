"""CUDA kernels for the problems. load_inline builds them as one extension, so that nvcc and g++ run once."""
from typing import Any

from torch.utils.cpp_extension import load_inline

KERNELS = r"""
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

using at::Tensor;

static float* floats(const Tensor& x) { return x.data_ptr<float>(); }
static int blocks(int64_t n, int threads) { return static_cast<int>((n + threads - 1) / threads); }

constexpr int kTile = 16;

// c[m, n] = a[m, k] b[k, n], each by its strides: plain, transposed and batched products are the same kernel.
__global__ void matmul(const float* a, int64_t am, int64_t ak, int64_t az, const float* b, int64_t bk, int64_t bn,
                       int64_t bz, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile], right[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  a += blockIdx.z * az;
  b += blockIdx.z * bz;
  float sum = 0;
  for (int first = 0; first < k; first += kTile) {
    const int ka = first + threadIdx.x, kb = first + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * am + ka * ak] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && kb < k ? b[kb * bk + column * bn] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[(static_cast<int64_t>(blockIdx.z) * m + row) * n + column] = sum;
}

Tensor cuda_bmm(Tensor a, Tensor b) {
  const int batch = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  Tensor c = at::empty({batch, m, n}, a.options());
  const dim3 grid(blocks(n, kTile), blocks(m, kTile), batch);
  matmul<<<grid, dim3(kTile, kTile)>>>(floats(a), a.stride(1), a.stride(2), a.stride(0), floats(b), b.stride(1),
                                       b.stride(2), b.stride(0), floats(c), m, n, k);
  return c;
}

__global__ void convolve(const float* x, const float* w, float* y, int channels, int height, int width, int outputs,
                         int size) {
  const int oh = height - size + 1, ow = width - size + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, filter = blockIdx.y, image = blockIdx.z;
  if (i >= oh * ow) return;
  const int row = i / ow, column = i % ow;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int dy = 0; dy < size; ++dy)
      for (int dx = 0; dx < size; ++dx)
        sum += x[((image * channels + c) * height + row + dy) * width + column + dx] *
               w[((filter * channels + c) * size + dy) * size + dx];
  y[(image * outputs + filter) * oh * ow + i] = sum;
}

Tensor cuda_conv2d(Tensor x, Tensor w) {
  const int size = w.size(2), oh = x.size(2) - size + 1, ow = x.size(3) - size + 1;
  Tensor y = at::empty({x.size(0), w.size(0), oh, ow}, x.options());
  const dim3 grid(blocks(oh * ow, 128), w.size(0), x.size(0));
  convolve<<<grid, 128>>>(floats(x), floats(w), floats(y), x.size(1), x.size(2), x.size(3), w.size(0), size);
  return y;
}

__global__ void depthwise(const float* x, const float* w, float* y, int channels, int length, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, plane = blockIdx.y, outputs = length - size + 1;
  if (i >= outputs) return;
  float sum = 0;
  for (int d = 0; d < size; ++d) sum += x[plane * length + i + d] * w[plane % channels * size + d];
  y[plane * outputs + i] = sum;
}

Tensor cuda_depthwise(Tensor x, Tensor w) {
  const int length = x.size(2), size = w.size(2), planes = x.size(0) * x.size(1);
  Tensor y = at::empty({x.size(0), x.size(1), length - size + 1}, x.options());
  depthwise<<<dim3(blocks(length, 128), planes), 128>>>(floats(x), floats(w), floats(y), x.size(1), length, size);
  return y;
}

// Windows of 2 x 2 without overlap.
__global__ void pool(const float* x, float* y, int height, int width, bool is_max) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, oh = height / 2, ow = width / 2;
  if (i >= oh * ow) return;
  const float* at = x + (static_cast<int64_t>(blockIdx.y) * height + i / ow * 2) * width + i % ow * 2;
  const float a = at[0], b = at[1], c = at[width], d = at[width + 1];
  y[blockIdx.y * oh * ow + i] = is_max ? fmaxf(fmaxf(a, b), fmaxf(c, d)) : (a + b + c + d) / 4;
}

Tensor cuda_pool(Tensor x, bool is_max) {
  const int height = x.size(2), width = x.size(3), planes = x.size(0) * x.size(1);
  Tensor y = at::empty({x.size(0), x.size(1), height / 2, width / 2}, x.options());
  pool<<<dim3(blocks(height / 2 * (width / 2), 128), planes), 128>>>(floats(x), floats(y), height, width, is_max);
  return y;
}

constexpr int kRowThreads = 128;

template <class Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float of_warp[kRowThreads / 32];
  for (int d = 16; d > 0; d /= 2) value = combine(value, __shfl_xor_sync(~0u, value, d));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
  for (int i = 1; i < kRowThreads / 32; ++i) value = combine(value, of_warp[i]);
  __syncthreads();
  return value;
}

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void softmax(const float* x, float* y, int n) {
  const float* row = x + static_cast<int64_t>(blockIdx.x) * n;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += kRowThreads) most = fmaxf(most, row[i]);
  most = over_block(most, Max());
  for (int i = threadIdx.x; i < n; i += kRowThreads) sum += expf(row[i] - most);
  sum = over_block(sum, Add());
  for (int i = threadIdx.x; i < n; i += kRowThreads) y[static_cast<int64_t>(blockIdx.x) * n + i] = expf(row[i] - most) / sum;
}

Tensor cuda_softmax(Tensor x) {
  Tensor y = at::empty_like(x);
  softmax<<<x.size(0), kRowThreads>>>(floats(x), floats(y), x.size(1));
  return y;
}

__global__ void layer_norm(const float* x, const float* w, const float* b, float* y, int n) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += kRowThreads) sum += x[first + i];
  const float mean = over_block(sum, Add()) / n;
  for (int i = threadIdx.x; i < n; i += kRowThreads) squares += (x[first + i] - mean) * (x[first + i] - mean);
  const float scale = rsqrtf(over_block(squares, Add()) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += kRowThreads) y[first + i] = (x[first + i] - mean) * scale * w[i] + b[i];
}

Tensor cuda_layer_norm(Tensor x, Tensor w, Tensor b) {
  Tensor y = at::empty_like(x);
  layer_norm<<<x.size(0), kRowThreads>>>(floats(x), floats(w), floats(b), floats(y), x.size(1));
  return y;
}

__global__ void squared_error(const float* a, const float* b, float* loss, int n) {
  float sum = 0;
  for (int i = blockIdx.x * kRowThreads + threadIdx.x; i < n; i += gridDim.x * kRowThreads)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  sum = over_block(sum, Add());
  if (threadIdx.x == 0) atomicAdd(loss, sum / n);
}

Tensor cuda_mse(Tensor a, Tensor b) {
  Tensor loss = at::zeros({}, a.options());
  squared_error<<<8, kRowThreads>>>(floats(a), floats(b), floats(loss), a.numel());
  return loss;
}
"""

DECLARATIONS = """
#include <ATen/core/Tensor.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
at::Tensor cuda_bmm(at::Tensor a, at::Tensor b);
at::Tensor cuda_conv2d(at::Tensor x, at::Tensor w);
at::Tensor cuda_depthwise(at::Tensor x, at::Tensor w);
at::Tensor cuda_pool(at::Tensor x, bool is_max);
at::Tensor cuda_softmax(at::Tensor x);
at::Tensor cuda_layer_norm(at::Tensor x, at::Tensor w, at::Tensor b);
at::Tensor cuda_mse(at::Tensor a, at::Tensor b);
"""
FUNCTIONS = ["cuda_bmm", "cuda_conv2d", "cuda_depthwise", "cuda_pool", "cuda_softmax", "cuda_layer_norm", "cuda_mse"]


def build() -> Any:
    return load_inline("wl_problems", cpp_sources=DECLARATIONS, cuda_sources=KERNELS, functions=FUNCTIONS,
                       extra_cuda_cflags=["-lineinfo"], no_implicit_headers=True)
