// A program with two faults, for the README: bank conflicts, and with an argument a write behind the end of an array.
#include <cstdio>
#include <vector>

__global__ void columns(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

int main(int argc, char**) {
  const size_t bytes = 1024 * sizeof(float);
  std::vector<float> numbers(1024, 1.0f);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, argc > 1 ? bytes - 4 : bytes);
  cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice);
  columns<<<1, dim3(32, 32)>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
