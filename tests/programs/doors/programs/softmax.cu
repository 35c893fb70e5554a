// Softmax of rows: a maximum and a sum of a block.
#include "check.h"

template <class Op>
__device__ float reduce(float value, float* shared, Op op) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + step]);
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}
__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float shared[128];
  const float* row = in + blockIdx.x * columns;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) top = fmaxf(top, row[i]);
  top = reduce(top, shared, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - top);
  sum = reduce(sum, shared, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = expf(row[i] - top) / sum;
}

int main() {
  const int rows = 12, columns = 300;
  std::vector<float> in(rows * columns);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 8 * any_float(i);
  float *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, in.size() * sizeof(float)));
  softmax<<<rows, 128>>>(device, out, columns);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(out, in.size());
  bool good = true;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(double(in[r * columns + i]));
    for (int i = 0; i < columns; ++i)
      good &= close(got[r * columns + i], std::exp(double(in[r * columns + i])) / sum, 1e-5);
  }
  return verdict(good);
}
