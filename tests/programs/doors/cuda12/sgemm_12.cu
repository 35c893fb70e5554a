// nvcc: -ldl
// cuBLAS under the name that programs of CUDA 12 ask for; no header of it is needed.
#include <dlfcn.h>

#include "../programs/check.h"

using Create = int (*)(void**);
using Gemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                     int, const float*, float*, int);

template <class Function>
static Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlvsym(library, name, "libcublas.so.12"));
}

__global__ void twice(float* numbers) { numbers[threadIdx.x] *= 2; }

int main() {
  void* library = dlopen("libcublas.so.12", RTLD_NOW);
  if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
  const auto create = symbol<Create>(library, "cublasCreate_v2");
  const auto gemm = symbol<Gemm>(library, "cublasSgemm_v2");
  if (create == nullptr || gemm == nullptr) return std::printf("%s\n", dlerror()), 1;
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, zero = 0;  // by columns
  float* device = nullptr;
  CHECK(cudaMalloc(&device, 12 * sizeof(float)));
  CHECK(cudaMemcpy(device, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device + 4, b, sizeof b, cudaMemcpyHostToDevice));
  void* handle = nullptr;
  if (create(&handle) != 0) return 1;
  if (gemm(handle, 0, 0, 2, 2, 2, &one, device, 2, device + 4, 2, &zero, device + 8, 2) != 0)
    return 1;
  twice<<<1, 4>>>(device + 8);
  float c[4];
  CHECK(cudaMemcpy(c, device + 8, sizeof c, cudaMemcpyDeviceToHost));
  return verdict(c[0] == 46 && c[1] == 68 && c[2] == 62 && c[3] == 92);
}
