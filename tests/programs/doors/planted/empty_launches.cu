// 100,000 empty launches, timed by the host.
#include <chrono>

#include "../programs/check.h"

__global__ void nothing() {}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 100000;
  nothing<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) nothing<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%d launches in %.3f s\n", launches, took.count());
  return verdict(true);
}
