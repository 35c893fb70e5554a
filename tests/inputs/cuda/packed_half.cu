// Packed halves: arithmetic with relu and saturation, comparisons, conversions.
#include <cuda_fp16.h>

extern "C" __global__ void packed_half(const __half2* a, const __half2* b, __half2* out,
                                       unsigned* mask) {
  const __half2 x = a[threadIdx.x], y = b[threadIdx.x];
  __half2 r = __hfma2_sat(x, y, __hmul2(x, y));
  r = __hadd2(r, __hsub2_sat(__habs2(x), __hneg2(y)));
  r = __hmax2(__hmin2(r, h2exp2(y)), __h2div(x, y));
#if __CUDA_ARCH__ >= 800
  r = __hfma2_relu(r, x, __hmax2_nan(x, y));
#endif
  out[threadIdx.x] = __lowhigh2highlow(r);
  mask[threadIdx.x] = __hlt2_mask(x, y) ^ __hgeu2_mask(x, y) ^ (__hbeq2(x, y) ? 1u : 0u);
}

extern "C" __global__ void half_to_integer(const __half* in, short* s, unsigned long long* u,
                                           __half* out) {
  const __half x = in[threadIdx.x];
  s[threadIdx.x] = __half2short_rd(x);
  u[threadIdx.x] = __half2ull_ru(x);
  out[threadIdx.x] = hrint(hsqrt(__ushort2half_rz(static_cast<unsigned short>(threadIdx.x))));
}
