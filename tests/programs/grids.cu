// Stencils, convolutions, sorting, simulation and the layers of a network.
#include <cuda_pipeline.h>
extern "C" {
__global__ void stencil1d(const float* x, float* out, int n) {
  __shared__ float s[256 + 6];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 3] = i < n ? x[i] : 0;
  if (t < 3) { s[t] = i >= 3 ? x[i - 3] : 0; s[t + 259] = i + 256 < n ? x[i + 256] : 0; }
  __syncthreads();
  float r = 0;
  for (int k = -3; k <= 3; ++k) r += s[t + 3 + k];
  if (i < n) out[i] = r;
}
__global__ void jacobi(const float* x, float* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h) return;
  bool edge = i == 0 || j == 0 || i == w - 1 || j == h - 1;
  out[j * w + i] = edge ? x[j * w + i] : 0.25f * (x[j * w + i - 1] + x[j * w + i + 1] + x[(j - 1) * w + i] + x[(j + 1) * w + i]);
}
__global__ void life(const unsigned char* x, unsigned char* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h) return;
  int c = 0;
  for (int dj = -1; dj <= 1; ++dj) for (int di = -1; di <= 1; ++di) if (di || dj) c += x[(j + dj + h) % h * w + (i + di + w) % w];
  out[j * w + i] = c == 3 || (c == 2 && x[j * w + i]);
}
__constant__ float filter[9];
__global__ void convolve(const float* x, const float* f, float* out, int w, int h) {
  extern __shared__ float s[];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx - 1, j = blockIdx.y * 16 + ty - 1;
  s[ty * 18 + tx] = i >= 0 && i < w && j >= 0 && j < h ? x[j * w + i] : 0;
  __syncthreads();
  if (tx < 1 || ty < 1 || tx > 16 || ty > 16 || i >= w || j >= h) return;
  float r = 0;
  for (int b = -1; b <= 1; ++b) for (int a = -1; a <= 1; ++a) r += f[(b + 1) * 3 + a + 1] * s[(ty + b) * 18 + tx + a];
  out[j * w + i] = r;
}
__global__ void bitonic(int* x) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t && ((t & k) == 0) == (s[t] > s[o])) { int v = s[t]; s[t] = s[o]; s[o] = v; }
      __syncthreads();
    }
  x[t] = s[t];
}
__global__ void odd_even(int* x, int n) {
  int t = threadIdx.x;
  for (int p = 0; p < n; ++p) {
    int i = 2 * t + (p & 1);
    if (i + 1 < n && x[i] > x[i + 1]) { int v = x[i]; x[i] = x[i + 1]; x[i + 1] = v; }
    __syncthreads();
  }
}
__global__ void rank_sort(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = 0;
  for (int j = 0; j < n; ++j) r += x[j] < x[i] || (x[j] == x[i] && j < i);
  out[r] = x[i];
}
__global__ void nbody(const float4* p, float3* f, int n) {
  __shared__ float4 s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 64) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = s[j].w * r * r * r;
      ax += dx * w; ay += dy * w; az += dz * w;
    }
    __syncthreads();
  }
  f[i] = make_float3(ax, ay, az);
}
__global__ void mandelbrot(int* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
  float cx = -2.0f + 3.0f * i / w, cy = -1.5f + 3.0f * j / h, x = 0, y = 0;
  while (k < 100 && x * x + y * y < 4.0f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; ++k; }
  out[j * w + i] = k;
}
__device__ float block_reduce(float v, float* s, bool maximum) {
  for (int k = 16; k > 0; k /= 2) { float o = __shfl_xor_sync(~0u, v, k); v = maximum ? fmaxf(v, o) : v + o; }
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (int w = 1; w < blockDim.x / 32; ++w) v = maximum ? fmaxf(v, s[w]) : v + s[w];
  __syncthreads();
  return v;
}
__global__ void softmax(const float* x, float* out, int n) {
  __shared__ float s[32];
  const float* row = x + blockIdx.x * n;
  float m = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
  m = block_reduce(m, s, true);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - m);
  sum = block_reduce(sum, s, false);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = expf(row[i] - m) / sum;
}
__global__ void layer_norm(const float* x, float* out, int n) {
  __shared__ float s[32];
  const float* row = x + blockIdx.x * n;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { sum += row[i]; square += row[i] * row[i]; }
  float mean = block_reduce(sum, s, false) / n, variance = block_reduce(square, s, false) / n - mean * mean;
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = (row[i] - mean) * rsqrtf(variance + 1e-5f);
}
__global__ void gelu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float v = x[i] * 6.0f - 3.0f; out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))); }
}
__global__ void attention(const float* q, const float* k, const float* v, float* out, int n) {  // one row a block, d = 32
  int lane = threadIdx.x;
  float m = -INFINITY, l = 0, acc = 0, mine = q[blockIdx.x * 32 + lane];
  for (int j = 0; j < n; ++j) {
    float p = mine * k[j * 32 + lane];
    for (int s = 16; s > 0; s /= 2) p += __shfl_xor_sync(~0u, p, s);
    p *= 0.17677669f;
    float now = fmaxf(m, p), scale = expf(m - now), w = expf(p - now);
    l = l * scale + w; acc = acc * scale + w * v[j * 32 + lane]; m = now;
  }
  out[blockIdx.x * 32 + lane] = acc / l;
}
__global__ void async_sum(const float4* x, float* out, int n) {  // two stages of cp.async
  __shared__ float4 s[2][64];
  int t = threadIdx.x, tiles = n / 64;
  float sum = 0;
  __pipeline_memcpy_async(&s[0][t], &x[t], 16);
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) % 2][t], &x[(i + 1) * 64 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = s[i % 2][63 - t];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[t] = sum;
}
}
