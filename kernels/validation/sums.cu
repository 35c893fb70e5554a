// Sums of a square matrix, one thread a row or a column.

extern "C" __global__ void row_sums(const float* in, float* out, unsigned long long n) {
  const unsigned long long row = threadIdx.x + static_cast<unsigned long long>(blockDim.x) * blockIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (unsigned long long i = 0; i < n; ++i) sum += in[row * n + i];
  out[row] = sum;
}

extern "C" __global__ void column_sums(const float* in, float* out, unsigned long long n) {
  const unsigned long long column = threadIdx.x + static_cast<unsigned long long>(blockDim.x) * blockIdx.x;
  if (column >= n) return;
  float sum = 0;
  for (unsigned long long i = 0; i < n; ++i) sum += in[i * n + column];
  out[column] = sum;
}
