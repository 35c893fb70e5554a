// Pointers that lead nowhere: calls answer with an error, and the program goes on.
#include "check.h"

#include <sys/mman.h>

__global__ void touch(int* data) { *data = 1; }

static int faults = 0;
static void refused(cudaError_t got, const char* what, cudaError_t wanted = cudaErrorInvalidValue) {
  if (got == wanted) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(got));
  ++faults;
}

static void copies(char* device, char* host) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  char* wild = reinterpret_cast<char*>(0x123456789000);
  refused(cudaMemcpy(device, nullptr, 4096, in), "from null");
  refused(cudaMemcpy(nullptr, device, 4096, out), "to null");
  refused(cudaMemcpy(nullptr, device, 4096, cudaMemcpyDefault), "to null, default");
  refused(cudaMemcpyAsync(device, nullptr, 4096, in, nullptr), "from null, async");
  refused(cudaMemcpy(device, wild, 4096, in), "from nowhere");
  refused(cudaMemcpy(wild, device, 4096, out), "to nowhere");
  refused(cudaMemcpy(device, host, 8192, in), "past the end of the device's");
  refused(cudaMemcpy(device, host + 4096, 4096, in), "from what is not mapped");
  refused(cudaMemcpy(device, host + 2048, 4096, in), "reaching what is not mapped");
  refused(cudaMemcpy2D(device, 64, nullptr, 64, 64, 4, in), "2D from null");
  refused(cudaMemcpy2D(nullptr, 64, device, 64, 64, 4, out), "2D to null");
  refused(cudaMemcpy2D(device, 64, host + 4000, 64, 64, 4, in), "2D reaching");
  refused(cudaMemset(nullptr, 0, 16), "fill at null");
  refused(cudaMemset(host, 0, 16), "fill of the host's");
  refused(cudaMemset(device, 0, 8192), "fill past the end");
  refused(cudaMemset2D(nullptr, 16, 0, 16, 2), "2D fill at null");
  refused(cudaMemcpy3D(nullptr), "3D without parameters");
  refused(cudaMemcpy(nullptr, nullptr, 0, in), "nothing", cudaSuccess);
}

static void answers(char* device) {
  refused(cudaMalloc(static_cast<void**>(nullptr), 16), "cudaMalloc");
  refused(cudaStreamCreate(nullptr), "cudaStreamCreate");
  refused(cudaEventCreate(nullptr), "cudaEventCreate");
  refused(cudaGetDevice(nullptr), "cudaGetDevice");
  refused(cudaGetDeviceCount(nullptr), "cudaGetDeviceCount");
  refused(cudaGetDeviceProperties(nullptr, 0), "cudaGetDeviceProperties");
  refused(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), "cudaDeviceGetAttribute");
  refused(cudaMemGetInfo(nullptr, nullptr), "cudaMemGetInfo");
  refused(cudaPointerGetAttributes(nullptr, device), "cudaPointerGetAttributes");
  refused(cudaRuntimeGetVersion(nullptr), "cudaRuntimeGetVersion");
  refused(cudaGraphCreate(nullptr, 0), "cudaGraphCreate");
  refused(cudaGraphLaunch(nullptr, nullptr), "cudaGraphLaunch");
  refused(cudaHostRegister(nullptr, 64, 0), "cudaHostRegister");
  refused(cudaLaunchKernel(reinterpret_cast<void*>(touch), dim3(1), dim3(1), nullptr, 0, nullptr),
          "a launch without its arguments");
  const cudaError_t handle = cudaErrorInvalidResourceHandle;
  float time = 0;
  refused(cudaEventRecord(nullptr, nullptr), "no event", handle);
  refused(cudaEventSynchronize(nullptr), "no event", handle);
  refused(cudaEventDestroy(nullptr), "no event", handle);
  refused(cudaEventElapsedTime(&time, nullptr, nullptr), "no events", handle);
  refused(cudaStreamWaitEvent(nullptr, nullptr, 0), "no event", handle);
}

int main() {
  char *device = nullptr, *host = nullptr;
  CHECK(cudaMalloc(&device, 4096));
  host = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                 -1, 0));
  if (munmap(host + 4096, 4096) != 0) return 2;
  copies(device, host);
  answers(device);
  CHECK(cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice));
  static_cast<void>(cudaGetLastError());
  touch<<<1, 1>>>(reinterpret_cast<int*>(device));
  CHECK(cudaDeviceSynchronize());
  return verdict(faults == 0);
}
