// Launches for as long as it is let: what an impatient user interrupts. The arguments differ, so
// that each launch of `other` is one of its own.
#include <signal.h>
#include <unistd.h>

#include <string>

#include "../programs/check.h"

__global__ void same(float* x) { x[threadIdx.x] += 1; }
__global__ void other(float* x, int turns) {
  for (int k = 0; k < turns; ++k) x[threadIdx.x] += 1;
}

int main(int argc, char** argv) {
  float* x = to_device(std::vector<float>(256, 0));
  const std::string how = argc > 1 ? argv[1] : "loop";
  for (int i = 0; i < 5; ++i) same<<<1, 256>>>(x);
  other<<<1, 256>>>(x, 3);
  CHECK(cudaDeviceSynchronize());
  std::printf("ready\n");
  std::fflush(stdout);
  if (how == "abort") std::abort();
  if (how == "_exit") _exit(5);
  if (how == "crash") *reinterpret_cast<volatile int*>(argc - 2) = 1;
  if (how == "stubborn") signal(SIGINT, SIG_IGN);
  if (how == "kernel") other<<<1, 256>>>(x, 1 << 30);
  for (;;) usleep(10000);
}
