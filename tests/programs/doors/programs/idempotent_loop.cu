// A benchmark's loop: one launch, again and again, on the same input. Between loops the input
// changes, by a copy and by the host's own store: what follows must see it.
#include "check.h"

__global__ void sum_rows(const float* a, const float* scale, float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i * gridDim.x * blockDim.x + row];
  out[row] = sum * *scale;
}

constexpr int kRows = 1024, kColumns = 64, kLaunches = 50;

bool is_right(const std::vector<float>& a, float scale, const float* out) {
  const std::vector<float> got = to_host(out, kRows);
  bool good = true;
  for (int row = 0; row < kRows; ++row) {
    float sum = 0;
    for (int i = 0; i < kColumns; ++i) sum += a[i * kRows + row];
    good &= close(got[row], sum * scale);
  }
  return good;
}

int main() {
  std::vector<float> host(kRows * kColumns);
  for (size_t i = 0; i < host.size(); ++i) host[i] = any_float(i);
  float *a = to_device(host), *out = to_device(std::vector<float>(kRows)), *scale = nullptr;
  CHECK(cudaMallocManaged(&scale, sizeof(float)));
  *scale = 1;
  const auto loop = [&] {
    for (int i = 0; i < kLaunches; ++i)
      sum_rows<<<kRows / 128, 128>>>(a, scale, out, kColumns);
    CHECK(cudaDeviceSynchronize());
    return is_right(host, *scale, out);
  };
  bool good = loop();
  host[5] += 100;
  CHECK(cudaMemcpy(a, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  good &= loop();
  *scale = 3;
  good &= loop();
  CHECK(cudaMemset(out, 0, kRows * sizeof(float)));
  good &= loop();
  return verdict(good);
}
