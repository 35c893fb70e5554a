// Option prices: special functions of every thread.
#include "check.h"

__host__ __device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float poly =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - tail : tail;
}
__host__ __device__ float call_price(float s, float x, float t, float r, float v) {
  const float root = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root);
  return s * normal(d1) - x * expf(-r * t) * normal(d1 - v * root);
}
__global__ void price(const float* s, const float* x, const float* t, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = call_price(s[i], x[i], t[i], 0.02f, 0.3f);
}

int main() {
  const int n = 4000;
  std::vector<float> s(n), x(n), t(n);
  for (int i = 0; i < n; ++i)
    s[i] = 5 + 25 * any_float(i), x[i] = 1 + 99 * any_float(i + n), t[i] = 0.25f + any_float(3 * i);
  float *ds = to_device(s), *dx = to_device(x), *dt = to_device(t), *out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  price<<<(n + 127) / 128, 128>>>(ds, dx, dt, out, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i) good &= close(got[i], call_price(s[i], x[i], t[i], 0.02f, 0.3f), 1e-3);
  return verdict(good);
}
