// Rows with a pitch: cudaMallocPitch, 2-D copies and fills.
#include "check.h"

__global__ void scale(float* data, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float* row = (float*)((char*)data + y * pitch);
  if (x < width && y < height) row[x] *= 3.0f;
}

int main() {
  const int width = 70, height = 20;
  std::vector<float> in(width * height), out(width * height, -1.0f);
  for (size_t i = 0; i < in.size(); ++i) in[i] = any_float(i);
  float* device = nullptr;
  size_t pitch = 0;
  const size_t bytes = width * sizeof(float);
  CHECK(cudaMallocPitch(&device, &pitch, bytes, height));
  CHECK(cudaMemset2D(device, pitch, 0, bytes, height));
  CHECK(cudaMemcpy2D(device, pitch, in.data(), bytes, bytes, height, cudaMemcpyHostToDevice));
  scale<<<dim3((width + 31) / 32, height), 32>>>(device, pitch, width, height);
  CHECK(cudaMemcpy2D(out.data(), bytes, device, pitch, bytes, height, cudaMemcpyDeviceToHost));
  bool good = pitch % 256 == 0 && pitch >= bytes;
  for (size_t i = 0; i < in.size(); ++i) good &= out[i] == in[i] * 3.0f;
  return verdict(good);
}
