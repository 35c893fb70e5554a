// What the device says of itself, and an empty launch.
#include "check.h"

__global__ void nothing() {}

int main() {
  int count = 0, sms = 0, major = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  size_t available = 0, total = 0;
  CHECK(cudaMemGetInfo(&available, &total));
  std::printf("%s: %d SMs, compute capability %d.%d, %zu bytes of shared memory a block\n", p.name,
              p.multiProcessorCount, p.major, p.minor, p.sharedMemPerBlock);
  nothing<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  return verdict(count == 1 && sms == p.multiProcessorCount && major == p.major &&
                 p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && total == p.totalGlobalMem &&
                 cudaSetDevice(1) == cudaErrorInvalidDevice);
}
