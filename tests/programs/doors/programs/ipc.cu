// Memory and an event of one process in another: the child adds to the parent's array.
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "check.h"

constexpr int kCount = 1000;

__global__ void add(int* to, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) to[i] += by;
}

struct Message {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

static int child(int from_parent) {
  Message message;
  if (read(from_parent, &message, sizeof message) != sizeof message) return 2;
  int* array = nullptr;
  cudaEvent_t event;
  void* memory = nullptr;
  CHECK(cudaIpcOpenMemHandle(&memory, message.memory, cudaIpcMemLazyEnablePeerAccess));
  array = static_cast<int*>(memory);
  CHECK(cudaIpcOpenEventHandle(&event, message.event));
  CHECK(cudaStreamWaitEvent(nullptr, event, 0));
  add<<<4, 256>>>(array, 10);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaIpcCloseMemHandle(memory));
  return cudaIpcCloseMemHandle(memory) != cudaSuccess ? 0 : 3;
}

static bool parent(int to_child, pid_t process) {
  int* array = nullptr;
  CHECK(cudaMalloc(&array, kCount * sizeof(int)));
  std::vector<int> numbers(kCount);
  for (int i = 0; i < kCount; ++i) numbers[i] = i;
  CHECK(cudaMemcpy(array, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  cudaEvent_t event, alone;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaEventCreate(&alone));
  add<<<4, 256>>>(array, 1);
  CHECK(cudaEventRecord(event));
  Message message;
  CHECK(cudaIpcGetMemHandle(&message.memory, array));
  CHECK(cudaIpcGetEventHandle(&message.event, event));
  bool good = cudaIpcGetEventHandle(&message.event, alone) != cudaSuccess;
  void* again = nullptr;  // not in the process that has it
  good = good && cudaIpcOpenMemHandle(&again, message.memory, 0) == cudaErrorDeviceUninitialized;
  good = good && write(to_child, &message, sizeof message) == sizeof message;
  int status = 0;
  good = good && waitpid(process, &status, 0) == process && status == 0;
  CHECK(cudaMemcpy(numbers.data(), array, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) good = good && numbers[i] == i + 11;
  CHECK(cudaFree(array));
  return good;
}

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t process = fork();  // before either has used the GPU
  if (process == 0) return child(ends[0]);
  return verdict(parent(ends[1], process));
}
