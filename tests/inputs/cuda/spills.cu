// More live values than registers: ptxas keeps some of them in local memory.
__global__ void __launch_bounds__(1024) spills(const float* in, float* out, int n) {
  float kept[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) kept[i] = in[i * n + threadIdx.x];
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) kept[i] = kept[i] * kept[(i + 7) % 64] + float(round);
  }
#pragma unroll
  for (int i = 0; i < 64; ++i) out[i * n + threadIdx.x] = kept[i];
}

// Called and not inlined: what it saves of its caller is not a spill.
__device__ __noinline__ double busy(double x, int n) {
  double a = x, b = x + 1, c = x + 2, d = x + 3;
  for (int i = 0; i < n; ++i) {
    a = a * b + c;
    b = b * c + d;
    c = c * d + a;
    d = d * a + b;
  }
  return n > 3 ? busy(a, n / 2) + b * c + d : a + b + c + d;
}
__global__ void calls(double* out, int n) { out[threadIdx.x] = busy(out[threadIdx.x], n) + busy(n, 3); }
