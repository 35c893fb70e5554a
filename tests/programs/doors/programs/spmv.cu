// A sparse matrix in CSR times a vector, a warp for each row.
#include "check.h"

__global__ void spmv(const int* start, const int* column, const float* value, const float* x,
                     float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 200;
  std::vector<int> start(1, 0), column;
  std::vector<float> value, x(rows);
  for (int r = 0; r < rows; ++r) {
    x[r] = any_float(r);
    const int count = static_cast<int>(any_float(r + 999) * 60);
    for (int k = 0; k < count; ++k) {
      column.push_back(static_cast<int>(any_float(r * 61 + k) * rows));
      value.push_back(any_float(r * 67 + k));
    }
    start.push_back(static_cast<int>(column.size()));
  }
  int *ds = to_device(start), *dc = to_device(column);
  float *dv = to_device(value), *dx = to_device(x), *dy = nullptr;
  CHECK(cudaMalloc(&dy, rows * sizeof(float)));
  spmv<<<(rows * 32 + 127) / 128, 128>>>(ds, dc, dv, dx, dy, rows);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> y = to_host(dy, rows);
  bool good = true;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = start[r]; i < start[r + 1]; ++i) sum += double(value[i]) * x[column[i]];
    good &= close(y[r], sum);
  }
  return verdict(good);
}
