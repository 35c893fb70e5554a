// NVRTC and the driver interface, no runtime: compiled at run time, launched by hand.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static void check(int error, const char* what) {
  if (error == 0) return;
  std::printf("%s failed with %d\n", what, error);
  std::exit(2);
}

static const char* kSource = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

int main() {
  nvrtcProgram program;
  check(nvrtcCreateProgram(&program, kSource, "saxpy.cu", 0, nullptr, nullptr), "create");
  const char* options[] = {"--gpu-architecture=compute_80", "-lineinfo"};
  check(nvrtcCompileProgram(program, 2, options), "compile");
  size_t bytes = 0;
  check(nvrtcGetPTXSize(program, &bytes), "size");
  std::string ptx(bytes, '\0');
  check(nvrtcGetPTX(program, ptx.data()), "ptx");
  check(cuInit(0), "init");
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  check(cuDeviceGet(&device, 0), "device");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "current");
  check(cuModuleLoadData(&module, ptx.c_str()), "load");
  check(cuModuleGetFunction(&kernel, module, "saxpy"), "function");
  int n = 3000;
  float a = 2.5f;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 17), y[i] = static_cast<float>(i % 5);
  CUdeviceptr dx, dy;
  check(cuMemAlloc(&dx, n * sizeof(float)), "alloc");
  check(cuMemAlloc(&dy, n * sizeof(float)), "alloc");
  check(cuMemcpyHtoD(dx, x.data(), n * sizeof(float)), "copy");
  check(cuMemcpyHtoD(dy, y.data(), n * sizeof(float)), "copy");
  void* arguments[] = {&a, &dx, &dy, &n};
  check(cuLaunchKernel(kernel, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr),
        "launch");
  check(cuCtxSynchronize(), "synchronize");
  std::vector<float> got(n);
  check(cuMemcpyDtoH(got.data(), dy, n * sizeof(float)), "copy");
  bool good = true;
  for (int i = 0; i < n; ++i) good &= got[i] == a * x[i] + y[i];
  std::printf("%s\n", good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}
