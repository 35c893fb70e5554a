// All pairs of bodies, tiles of positions in shared memory, a few steps in time.
#include "check.h"

__device__ float3 pull(float3 a, float4 mine, float4 other) {
  const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
  const float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
  const float inverse = rsqrtf(d2), f = other.w * inverse * inverse * inverse;
  return make_float3(a.x + dx * f, a.y + dy * f, a.z + dz * f);
}

__global__ void step(const float4* in, float4* out, float3* speed, int n, float dt) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = in[i];
  float3 a = make_float3(0, 0, 0);
  for (int t = 0; t < n; t += blockDim.x) {
    tile[threadIdx.x] = in[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) a = pull(a, mine, tile[k]);
    __syncthreads();
  }
  float3 v = speed[i];
  v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
  speed[i] = v;
  out[i] = make_float4(mine.x + v.x * dt, mine.y + v.y * dt, mine.z + v.z * dt, mine.w);
}

int main() {
  const int n = 256, steps = 3;
  const float dt = 0.001f;
  std::vector<float4> p(n);
  for (int i = 0; i < n; ++i)
    p[i] = make_float4(any_float(4 * i), any_float(4 * i + 1), any_float(4 * i + 2), 1.0f / n);
  std::vector<double> x(3 * n), v(3 * n, 0.0);
  for (int i = 0; i < n; ++i) x[3 * i] = p[i].x, x[3 * i + 1] = p[i].y, x[3 * i + 2] = p[i].z;
  float4 *a = to_device(p), *b = to_device(p);
  float3* speed = to_device(std::vector<float3>(n, make_float3(0, 0, 0)));
  for (int s = 0; s < steps; ++s) {
    step<<<n / 64, 64, 64 * sizeof(float4)>>>(a, b, speed, n, dt);
    std::swap(a, b);
    const std::vector<double> old = x;
    for (int i = 0; i < n; ++i) {
      double f[3] = {};
      for (int j = 0; j < n; ++j) {
        double d[3], d2 = 0.01;
        for (int c = 0; c < 3; ++c) d[c] = old[3 * j + c] - old[3 * i + c], d2 += d[c] * d[c];
        for (int c = 0; c < 3; ++c) f[c] += d[c] / (n * d2 * std::sqrt(d2));
      }
      for (int c = 0; c < 3; ++c) v[3 * i + c] += f[c] * dt, x[3 * i + c] += v[3 * i + c] * dt;
    }
  }
  CHECK(cudaDeviceSynchronize());
  const std::vector<float4> got = to_host(a, n);
  bool good = true;
  for (int i = 0; i < n; ++i) good &= close(got[i].x, x[3 * i]) && close(got[i].z, x[3 * i + 2]);
  return verdict(good);
}
