// A row softmax with warp reductions and exponentials.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  const float* row = in + static_cast<size_t>(blockIdx.x) * columns;
  float top = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) top = fmaxf(top, row[i]);
  for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  for (int i = threadIdx.x; i < columns; i += 32) sum += __expf(row[i] - top);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < columns; i += 32) {
    out[static_cast<size_t>(blockIdx.x) * columns + i] = __expf(row[i] - top) / sum;
  }
}
