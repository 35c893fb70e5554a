// x += A y, launched with blocks of 32x8 threads by mistake: the eight rows of threads of a block add
// to the same elements of x.
extern "C" __global__ void matrix_vector(const float* a, const float* y, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x[i] += a[i * n + j] * y[j];
}
