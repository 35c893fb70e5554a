// nvcc: -lcuda
// Two devices: halves of a sum, copies and accesses between them, variables of each, what is
// refused.
#include <cuda.h>

#include <cstring>
#include <thread>

#include "check.h"

__constant__ float factor;
__device__ int launches;

__global__ void scale(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = factor * from[i];
  if (i == 0) ++launches;
}

constexpr int kCount = 1 << 14;
constexpr size_t kBytes = kCount * sizeof(float);

struct Part {
  float *in = nullptr, *out = nullptr;
  cudaStream_t stream = nullptr;
};

static Part make_part(int device, const std::vector<float>& host) {
  Part part;
  const float own = static_cast<float>(2 + device);
  CHECK(cudaSetDevice(device));
  CHECK(cudaStreamCreateWithFlags(&part.stream, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&part.in, kBytes));
  CHECK(cudaMalloc(&part.out, kBytes));
  CHECK(cudaMemcpyToSymbol(factor, &own, sizeof own));
  CHECK(cudaMemcpy(part.in, host.data(), kBytes, cudaMemcpyHostToDevice));
  return part;
}

static void launch(int device, const Part& part, const float* from) {
  CHECK(cudaSetDevice(device));
  scale<<<kCount / 256, 256, 0, part.stream>>>(from, part.out, kCount);
  CHECK(cudaGetLastError());
}

static bool is_scaled(const float* device, const std::vector<float>& host, float by) {
  const std::vector<float> got = to_host(device, kCount);
  for (int i = 0; i < kCount; ++i) {
    if (got[i] != by * host[i]) return false;
  }
  return true;
}

static bool fails(cudaError_t error, cudaError_t expected) {
  const cudaError_t last = cudaGetLastError();
  if (error == expected && last == expected) return true;
  std::printf("expected %s, got %s and %s\n", cudaGetErrorName(expected), cudaGetErrorName(error),
              cudaGetErrorName(last));
  return false;
}

/// They differ in what tells devices apart.
static bool are_two() {
  int count = 0, found = -1;
  char first[32], second[32];
  CUuuid a, b;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaDeviceGetPCIBusId(first, sizeof first, 0));
  CHECK(cudaDeviceGetPCIBusId(second, sizeof second, 1));
  CHECK(cudaDeviceGetByPCIBusId(&found, second));
  CHECK_DRIVER(cuDeviceGetUuid(&a, 0));
  CHECK_DRIVER(cuDeviceGetUuid(&b, 1));
  return count == 2 && found == 1 && std::strcmp(first, second) != 0 &&
         std::memcmp(&a, &b, sizeof a) != 0 && fails(cudaSetDevice(2), cudaErrorInvalidDevice);
}

/// A thread begins with the first device, and what it chooses is its own.
static bool is_of_a_thread() {
  int there = -1, here = -1;
  CHECK(cudaSetDevice(1));
  std::thread([&] { CHECK(cudaGetDevice(&there)); }).join();
  CHECK(cudaGetDevice(&here));
  return there == 0 && here == 1;
}

static bool peers_answer() {
  int can = -1, itself = -1, access = -1;
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
  CHECK(cudaDeviceCanAccessPeer(&itself, 1, 1));
  CHECK(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 0, 1));
  bool good = can == 1 && itself == 0 && access == 1;
  good &= fails(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
  good &= fails(cudaDeviceEnablePeerAccess(0, 1), cudaErrorInvalidValue);
  good &= fails(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  return good && fails(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
}

/// Kernels and events stay on their device; copies need not.
static bool streams_are_of_a_device(const Part& first, const Part& second) {
  cudaEvent_t event;
  int device = -1;
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaStreamGetDevice(second.stream, &device));
  bool good =
      device == 1 && fails(cudaEventRecord(event, second.stream), cudaErrorInvalidResourceHandle);
  scale<<<1, 32, 0, second.stream>>>(first.in, first.out, 32);
  good &= cudaGetLastError() == cudaErrorInvalidResourceHandle;
  CHECK(cudaMemcpyAsync(first.out, first.in, kBytes, cudaMemcpyDefault, second.stream));
  CHECK(cudaEventRecord(event, first.stream));
  CHECK(cudaStreamWaitEvent(second.stream, event));
  CHECK(cudaStreamSynchronize(second.stream));
  return good;
}

static bool pointers_know_their_device(const Part& first, const Part& second) {
  cudaPointerAttributes of_first, of_second;
  int ordinal = -1;
  CHECK(cudaPointerGetAttributes(&of_first, first.in));
  CHECK(cudaPointerGetAttributes(&of_second, second.in + 5));
  CHECK_DRIVER(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     reinterpret_cast<CUdeviceptr>(second.out)));
  return of_first.device == 0 && of_second.device == 1 && ordinal == 1;
}

/// Both devices work at once: the two kernels take about as long as one.
static bool overlap(const Part& first, const Part& second) {
  cudaEvent_t start, one, both, other;
  CHECK(cudaSetDevice(1));
  CHECK(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
  CHECK(cudaSetDevice(0));
  for (cudaEvent_t* event : {&start, &one, &both}) CHECK(cudaEventCreate(event));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(start, first.stream));
  launch(0, first, first.in);
  CHECK(cudaEventRecord(one, first.stream));
  launch(1, second, second.in);
  CHECK(cudaEventRecord(other, second.stream));
  CHECK(cudaStreamWaitEvent(first.stream, other));
  CHECK(cudaEventRecord(both, first.stream));
  CHECK(cudaEventSynchronize(both));
  float alone = 0, together = 0;
  CHECK(cudaEventElapsedTime(&alone, start, one));
  CHECK(cudaEventElapsedTime(&together, start, both));
  return alone > 0 && together < 1.5f * alone;
}

static bool contexts_follow() {
  CUcontext second, popped;
  CUdevice device = -1;
  CHECK(cudaSetDevice(0));
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&second, 1));
  CHECK_DRIVER(cuCtxPushCurrent(second));
  CHECK_DRIVER(cuCtxGetDevice(&device));
  bool good = device == 1 && cuCtxEnablePeerAccess(second, 0) == CUDA_ERROR_INVALID_CONTEXT;
  CHECK_DRIVER(cuCtxPopCurrent(&popped));
  CHECK_DRIVER(cuCtxGetDevice(&device));
  return good && device == 0 && popped == second;
}

int main() {
  std::vector<float> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = any_float(i);
  bool good = are_two() && is_of_a_thread() && peers_answer();
  Part first = make_part(0, host), second = make_part(1, host);
  launch(0, first, first.in);
  launch(1, second, second.in);
  good &= is_scaled(first.out, host, 2) && is_scaled(second.out, host, 3);
  launch(1, second, first.out);  // reads its peer's memory
  good &= is_scaled(second.out, host, 6);
  CHECK(cudaMemcpyPeer(first.in, 0, second.out, 1, kBytes));
  good &= is_scaled(first.in, host, 6);
  for (int device = 0; device < 2; ++device) {
    int seen = 0;
    CHECK(cudaSetDevice(device));
    CHECK(cudaMemcpyFromSymbol(&seen, launches, sizeof seen));
    good &= seen == 1 + device;
  }
  good &= fails(cudaMemcpyPeer(first.in, 0, second.out, 2, kBytes), cudaErrorInvalidDevice);
  good &= streams_are_of_a_device(first, second) && pointers_know_their_device(first, second);
  good &= overlap(first, second) && contexts_follow();
  return verdict(good);
}
