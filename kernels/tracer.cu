// The tracer: which element of C = A * identity does each lane's accumulator element hold?
// Every element of A is 100 * row + col (exact in half up to 2048), so a dump of the registers is
// the map itself. On a GPU:  nvcc -arch=native tracer.cu -o tracer && ./tracer | warpledger layout
// fit -
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

using namespace nvcuda;

constexpr int kSide = 16;
constexpr int kElements = 8;

extern "C" __global__ void trace_accumulator(float* dump) {
  __shared__ __align__(32) half tracer[kSide * kSide];
  __shared__ __align__(32) half identity[kSide * kSide];
  const int lane = threadIdx.x;
  for (int i = lane; i < kSide * kSide; i += 32) {
    const int row = i / kSide, col = i % kSide;
    tracer[i] = __int2half_rn(100 * row + col);
    identity[i] = __int2half_rn(row == col ? 1 : 0);
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, tracer, kSide);
  wmma::load_matrix_sync(b, identity, kSide);
  wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(c, a, b, c);
  for (int i = 0; i < kElements; ++i) dump[lane * kElements + i] = c.x[i];
}

int main() {
  float* device = nullptr;
  float dump[32 * kElements];
  cudaMalloc(&device, sizeof dump);
  trace_accumulator<<<1, 32>>>(device);
  if (cudaMemcpy(dump, device, sizeof dump, cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::fprintf(stderr, "tracer: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < kElements; ++i)
      std::printf("%d %d %d\n", lane, i, int(dump[lane * kElements + i]));
  }
  cudaFree(device);
  return 0;
}
