// Votes, matches and shuffles of a warp.
#include "check.h"

__global__ void votes(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  const unsigned odd = __ballot_sync(~0u, value & 1);
  const int any = __any_sync(~0u, value > 90), all = __all_sync(~0u, value < 95);
  const unsigned same = __match_any_sync(~0u, value / 25);
  const int right = __shfl_down_sync(~0u, value, 1), mirrored = __shfl_xor_sync(~0u, value, 31);
  out[i] = __popc(odd) + 100 * any + 1000 * all + 10000 * __popc(same) + right * 3 + mirrored;
}

int main() {
  const int n = 512;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 100);
  int *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  votes<<<n / 128, 128>>>(device, out);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(out, n);
  bool good = true;
  for (int w = 0; w < n; w += 32) {
    int odd = 0, any = 0, all = 1;
    for (int i = w; i < w + 32; ++i) odd += in[i] & 1, any |= in[i] > 90, all &= in[i] < 95;
    for (int i = w; i < w + 32; ++i) {
      int same = 0;
      for (int j = w; j < w + 32; ++j) same += in[j] / 25 == in[i] / 25;
      const int right = i % 32 == 31 ? in[i] : in[i + 1], mirrored = in[w + 31 - (i - w)];
      good &= got[i] == odd + 100 * any + 1000 * all + 10000 * same + right * 3 + mirrored;
    }
  }
  return verdict(good);
}
