// What every program here needs: stop on an error of CUDA, compare, and say the outcome.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Of any library: 0 is success, name(status) says what else it is.
#define CHECK_STATUS(call, name)                                         \
  do {                                                                   \
    const auto of_the_call = (call);                                     \
    if (static_cast<int>(of_the_call) != 0) {                            \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, name(of_the_call)); \
      std::exit(2);                                                      \
    }                                                                    \
  } while (0)
#define CHECK(call) CHECK_STATUS(call, cudaGetErrorString)

/// Where a library has no names for its statuses.
inline const char* status_number(int status) {
  static char text[16];
  std::snprintf(text, sizeof text, "%d", status);
  return text;
}
#define CHECK_DRIVER(call) CHECK_STATUS(call, status_number)

/// A fixed sequence in [0, 1).
inline float any_float(unsigned i) {
  unsigned x = i * 2654435761u + 12345u;
  x ^= x >> 16;
  x *= 2246822519u;
  x ^= x >> 13;
  return static_cast<float>(x & 0xffffff) / 16777216.0f;
}

template <class T>
T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}
template <class T>
std::vector<T> to_host(const T* device, size_t count) {
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

inline bool close(double a, double b, double tolerance = 1e-4) {
  return std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fabs(b));
}

/// The last line of every program.
inline int verdict(bool good) {
  std::printf("%s\n", good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}
