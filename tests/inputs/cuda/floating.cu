// Single and double precision: rounding modes, special functions, comparisons, conversions.
extern "C" __global__ void floating(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = a[i], y = b[i];
  float r = __fadd_rz(x, y) + __fmul_ru(x, y) + __fmaf_rd(x, y, x) + __fdiv_rn(x, y);
  r += sqrtf(x) + rsqrtf(y) + __frcp_rn(x) + __fsqrt_rz(y);
  r += __sinf(x) + __cosf(x) + __expf(x) + __logf(y) + __powf(x, y) + __fdividef(x, y);
  r += sinf(x) + expf(y) + logf(fabsf(x)) + tanhf(x) + erff(y) + powf(x, y);
  r += fminf(x, y) + fmaxf(x, y) + floorf(x) + ceilf(y) + truncf(x) + rintf(y) + copysignf(x, y);
  r += isnan(x) ? 1.0f : 2.0f;
  r += isinf(y) ? 1.0f : __saturatef(x);
  out[i] = r;
}

extern "C" __global__ void doubles(const double* a, const double* b, double* out) {
  const double x = a[threadIdx.x], y = b[threadIdx.x];
  out[threadIdx.x] = x / y + sqrt(x) + exp(y) + log(x) + __dadd_rd(x, y) + __fma_rz(x, y, x) +
                     fmin(x, y) + floor(x) + rsqrt(y) + cos(x);
}

extern "C" __global__ void conversions(const float* f, const double* d, const int* i, long long* out) {
  const float x = f[threadIdx.x];
  const double y = d[threadIdx.x];
  const int k = i[threadIdx.x];
  out[threadIdx.x] = static_cast<int>(x) + static_cast<unsigned>(x) + static_cast<long long>(y) +
                     __float2int_rn(x) + __float2uint_ru(x) + __double2int_rd(y) +
                     static_cast<long long>(static_cast<float>(k) + static_cast<double>(k)) +
                     static_cast<signed char>(k) + static_cast<unsigned short>(k) +
                     __float_as_int(x) + __double_as_longlong(y) + static_cast<long long>(__ll2float_rz(k));
}
