// Launches for as long as it is let: what an impatient user interrupts. The arguments differ, so
// that each launch of `other` is one of its own.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "../programs/check.h"

__global__ void same(float* x) { x[threadIdx.x] += 1; }
__global__ void other(float* x, int turns) {
  for (int k = 0; k < turns; ++k) x[threadIdx.x] += 1;
}

/// Fifty launches, each with a profile of its own; says of each when it is done.
int launch_many(float* x) {
  for (int i = 1; i <= 50; ++i) {
    other<<<1, 256>>>(x, 3 + i);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", i);
    std::fflush(stdout);
  }
  return 0;
}

/// A child that ends as programs do: what it inherited is not its own to report.
int fork_once() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
  return 0;
}

int launch_from_threads(float* x) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([=] { other<<<1, 256>>>(x, 4 + i); });
  for (std::thread& thread : threads) thread.join();
  CHECK(cudaDeviceSynchronize());
  return 0;
}

int main(int argc, char** argv) {
  float* x = to_device(std::vector<float>(256, 0));
  const std::string how = argc > 1 ? argv[1] : "loop";
  for (int i = 0; i < 5; ++i) same<<<1, 256>>>(x);
  other<<<1, 256>>>(x, 3);
  CHECK(cudaDeviceSynchronize());
  std::printf("ready\n");
  std::fflush(stdout);
  if (how == "many") return launch_many(x);
  if (how == "fork") return fork_once();
  if (how == "threads") return launch_from_threads(x);
  if (how == "abort") std::abort();
  if (how == "_exit") _exit(5);
  if (how == "crash") *reinterpret_cast<volatile int*>(argc - 2) = 1;
  if (how == "stubborn") signal(SIGINT, SIG_IGN);
  if (how == "kernel") other<<<1, 256>>>(x, 1 << 30);
  for (;;) usleep(10000);
}
