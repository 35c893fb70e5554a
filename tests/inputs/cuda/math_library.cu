// The mathematical library, slow and fast.
extern "C" __global__ void math_library(const float* a, const double* d, float* f, double* g) {
  const float x = a[threadIdx.x];
  f[0] = sinf(x) + cosf(x) * tanf(x) + expf(x) + logf(x) + powf(x, 1.7f) + atan2f(x, 2) + erff(x) +
         lgammaf(x);
  f[1] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __powf(x, 3) + __fdividef(x, 3) +
         rsqrtf(x) + tanhf(x);
  f[2] = fmodf(x, 3) + remainderf(x, 2) + rintf(x) + floorf(x) + truncf(x) + copysignf(x, -1) +
         fmaxf(x, 2) + cbrtf(x);
  const double y = d[threadIdx.x];
  g[0] = sin(y) + exp(y) + log1p(y) + pow(y, 0.3) + hypot(y, 2.0) + sqrt(y) / y + rsqrt(y) +
         fmin(y, 1.0) + ldexp(y, 3);
  g[1] = isnan(y) + isinf(y) + signbit(y) + ilogb(y) + nextafter(y, 1.0) + y * 1e-310;
}
