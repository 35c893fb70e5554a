// A dot product in double precision, finished by the last block that comes.
#include "check.h"

__device__ unsigned arrived = 0;

__global__ void dot(const double* x, const double* y, double* parts, double* out, int n) {
  __shared__ double shared[128];
  __shared__ bool is_last;
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i] * y[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = shared[0];
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    double total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += ((volatile double*)parts)[b];
    *out = total;
    arrived = 0;
  }
}

int main() {
  const int n = 6000, blocks = 10;
  std::vector<double> x(n), y(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) expected += (x[i] = any_float(i)) * (y[i] = any_float(i + n));
  double *dx = to_device(x), *dy = to_device(y), *parts = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&parts, blocks * sizeof(double)));
  CHECK(cudaMalloc(&out, sizeof(double)));
  bool good = true;
  for (int k = 0; k < 2; ++k) {
    dot<<<blocks, 128>>>(dx, dy, parts, out, n);
    good &= close(to_host(out, 1)[0], expected, 1e-12);
  }
  return verdict(good);
}
