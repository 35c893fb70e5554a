// Lanes on both sides of a branch that shuffle with each other, after they have changed memory:
// compiled code finds out on its way that it needs the interpreter, and begins again.
#include "check.h"

__global__ void swap_halves(int* values, int* swapped) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = ++values[i];
  if (value % 2 == 0)
    swapped[i] = __shfl_xor_sync(~0u, value, 1);
  else
    swapped[i] = 1000 + __shfl_xor_sync(~0u, value * 2, 1);
}

int main() {
  const int n = 1 << 20;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 100);
  int *values = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  swap_halves<<<n / 256, 256>>>(values, out);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> after = to_host(values, n), got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const int mine = in[i] + 1, other = in[i ^ 1] + 1;
    const int given = other % 2 == 0 ? other : other * 2;
    good &= after[i] == mine && got[i] == (mine % 2 == 0 ? given : 1000 + given);
  }
  return verdict(good);
}
