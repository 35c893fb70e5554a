// Kernels before, inside and after NVTX ranges and cudaProfilerStart: each is launched with a grid of its own.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void warm(float* x) { x[threadIdx.x] = 1; }
__global__ void forward(float* x) { x[threadIdx.x] += 2; }
__global__ void backward(float* x) { x[threadIdx.x] *= 3; }
__global__ void load(float* x) { x[threadIdx.x] -= 4; }
__global__ void tail(float* x) { x[threadIdx.x] += 5; }

static nvtxEventAttributes_t event(const char* name) {
  nvtxEventAttributes_t made = {};
  made.version = NVTX_VERSION;
  made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  made.messageType = NVTX_MESSAGE_TYPE_ASCII;
  made.message.ascii = name;
  return made;
}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(float));
  warm<<<1, 32>>>(x);
  for (int step = 0; step < 2; ++step) {
    cudaProfilerStart();
    nvtxRangePushA("step");
    nvtxRangePushA("forward");
    forward<<<1, 32>>>(x);
    nvtxRangePop();
    const nvtxEventAttributes_t back = event("backward");
    nvtxRangePushEx(&back);
    backward<<<1, 32>>>(x);
    nvtxRangePop();
    nvtxRangePop();
    if (step == 0) cudaProfilerStop();
  }
  nvtxDomainHandle_t loader = nvtxDomainCreateA("loader");
  nvtxEventAttributes_t batch = event("");
  batch.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  batch.message.registered = nvtxDomainRegisterStringA(loader, "batch");
  const nvtxRangeId_t whole = nvtxRangeStartA("end");
  nvtxDomainRangePushEx(loader, &batch);
  load<<<1, 32>>>(x);
  nvtxDomainRangePop(loader);
  tail<<<1, 32>>>(x);
  nvtxRangeEnd(whole);
  float y[32];
  const bool good = cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost) == cudaSuccess && y[7] == 34;
  std::puts(good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}
