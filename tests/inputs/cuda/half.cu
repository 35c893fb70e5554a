// Half precision and bfloat16, scalar and packed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half* a, const __half* b, __half* out) {
  const __half x = a[threadIdx.x], y = b[threadIdx.x];
  __half r = __hadd(x, __hmul(y, x));
  r = __hfma(r, x, y);
  r = __hgt(r, x) ? __hneg(r) : __habs(r);
  out[threadIdx.x] = __hmax(r, __float2half(__half2float(y) * 0.5f));
}

extern "C" __global__ void packed_halves(const __half2* a, const __half2* b, __half2* out) {
  const __half2 x = a[threadIdx.x], y = b[threadIdx.x];
  __half2 r = __hfma2(x, y, __hadd2(x, y));
  r = __hmul2_sat(r, __hsub2(x, y));
  out[threadIdx.x] = __hbgt2(x, y) ? r : h2exp(x);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloats(const __nv_bfloat16* a, const __nv_bfloat162* b, __nv_bfloat162* out) {
  const __nv_bfloat16 x = a[threadIdx.x];
  const __nv_bfloat162 y = b[threadIdx.x];
  const __nv_bfloat162 s = __bfloat162bfloat162(__float2bfloat16(__bfloat162float(x) + 1.0f));
  out[threadIdx.x] = __hmax2(__hfma2(s, y, y), __hneg2(y));
}
#endif
