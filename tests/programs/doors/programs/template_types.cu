// One kernel template for several types, structures passed by value.
#include "check.h"

template <class T>
struct Affine {
  T scale, shift;
  int n;
};
template <class T>
__global__ void apply(T* data, Affine<T> by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < by.n) data[i] = data[i] * by.scale + by.shift;
}
template <class T>
bool run() {
  const int n = 777;
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<T>(any_float(i) * 50);
  T* device = to_device(in);
  apply<T><<<(n + 255) / 256, 256>>>(device, {3, 4, n});
  const std::vector<T> got = to_host(device, n);
  bool good = true;
  for (int i = 0; i < n; ++i) good &= close(double(got[i]), double(static_cast<T>(in[i] * 3 + 4)));
  return good;
}

int main() {
  return verdict(run<int>() & run<short>() & run<float>() & run<double>() & run<long long>() &
                 run<unsigned char>());
}
