// The matmuls of matmul.cl on the first OpenCL platform: one line of CSV a kernel,
//   kernel, size, processor seconds of the whole process (best of the runs), largest error
//
//   bench_opencl SIZE RUNS [KERNEL FILE]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Kernel {
  const char* name;
  size_t tile;  // of C, a work-group of 16 x 16
};
constexpr Kernel kKernels[] = {
    {"matmul_naive", 16}, {"matmul_tiled", 16}, {"matmul_register_tiled", 64}};

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", what, error);
  std::exit(1);
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string file_text(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Machine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
};

Machine open(const char* path) {
  Machine machine;
  cl_platform_id platform = nullptr;
  cl_int error = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &machine.device, nullptr),
        "clGetDeviceIDs");
  machine.context = clCreateContext(nullptr, 1, &machine.device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  machine.queue = clCreateCommandQueue(machine.context, machine.device, 0, &error);
  check(error, "clCreateCommandQueue");
  const std::string text = file_text(path);
  const char* bytes = text.c_str();
  machine.program = clCreateProgramWithSource(machine.context, 1, &bytes, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(machine.program, 1, &machine.device, "", nullptr, nullptr),
        "clBuildProgram");
  return machine;
}

struct Matrices {
  size_t size;
  std::vector<float> a, b, c;
  explicit Matrices(size_t n) : size(n), a(n * n), b(n * n), c(n * n) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = b[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  }
  /// Over a few rows: against sums in double.
  [[nodiscard]] double largest_error() const {
    double worst = 0;
    for (size_t row = 0; row < size; row += size / 4) {
      for (size_t column = 0; column < size; ++column) {
        double sum = 0;
        for (size_t i = 0; i < size; ++i)
          sum += double(a[row * size + i]) * double(b[i * size + column]);
        worst = std::max(worst, std::fabs(sum - double(c[row * size + column])) / sum);
      }
    }
    return worst;
  }
};

void run(const Machine& machine, const Kernel& kernel, size_t size, int runs) {
  Matrices host(size);
  cl_int error = CL_SUCCESS;
  const size_t bytes = size * size * sizeof(float);
  cl_mem buffers[3];
  float* contents[3] = {host.a.data(), host.b.data(), host.c.data()};
  cl_kernel function = clCreateKernel(machine.program, kernel.name, &error);
  check(error, "clCreateKernel");
  for (cl_uint i = 0; i < 3; ++i) {
    buffers[i] = clCreateBuffer(machine.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                contents[i], &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(function, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  const auto extent = static_cast<cl_int>(size);
  for (cl_uint i = 3; i < 6; ++i)
    check(clSetKernelArg(function, i, sizeof extent, &extent), "clSetKernelArg");
  const size_t global[2] = {size / kernel.tile * 16, size / kernel.tile * 16}, local[2] = {16, 16};
  double best = INFINITY;
  for (int i = 0; i < runs; ++i) {  // the first may compile
    const double begun = processor_seconds();
    check(clEnqueueNDRangeKernel(machine.queue, function, 2, nullptr, global, local, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(machine.queue), "clFinish");
    best = std::min(best, processor_seconds() - begun);
  }
  check(clEnqueueReadBuffer(machine.queue, buffers[2], CL_TRUE, 0, bytes, host.c.data(), 0, nullptr,
                            nullptr),
        "clEnqueueReadBuffer");
  std::printf("%s,%zu,%.6f,%.1e\n", kernel.name, size, best, host.largest_error());
  std::fflush(stdout);
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(function);
}

}  // namespace

int main(int count, char** arguments) {
  const size_t size = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1024;
  const int runs = count > 2 ? std::atoi(arguments[2]) : 3;
  const Machine machine = open(count > 3 ? arguments[3] : "bench/opencl/matmul.cl");
  for (const Kernel& kernel : kKernels) run(machine, kernel, size, runs);
}
