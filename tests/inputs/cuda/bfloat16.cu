// bfloat16, scalar and packed.
#include <cuda_bf16.h>

extern "C" __global__ void bfloat16(const __nv_bfloat162* a, const float* f, __nv_bfloat162* out,
                                    __nv_bfloat16* one) {
#if __CUDA_ARCH__ >= 800
  const __nv_bfloat162 x = a[threadIdx.x];
  const __nv_bfloat162 y = __floats2bfloat162_rn(f[threadIdx.x], -f[threadIdx.x]);
  out[threadIdx.x] = __hfma2(__hmax2(x, y), __hmin2_nan(x, y), __habs2(__hneg2(x)));
  one[threadIdx.x] =
      __hadd(__float2bfloat16_rz(f[0]), __hmul(__low2bfloat16(x), __high2bfloat16(y)));
  if (__hlt(one[threadIdx.x], __low2bfloat16(y)))
    one[threadIdx.x] = __int2bfloat16_rn(__bfloat162int_rz(one[0]));
#else  // conversions alone
  const float2 x = __bfloat1622float2(a[threadIdx.x]);
  out[threadIdx.x] = __floats2bfloat162_rn(x.y, f[threadIdx.x]);
  one[threadIdx.x] = __float2bfloat16_rz(x.x);
#endif
}
