// Eight-bit floats through the conversions of cuda_fp8.h.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void to_fp8(const float2* in, __nv_fp8x2_storage_t* e4m3, __nv_fp8x2_storage_t* e5m2) {
  const float2 x = in[threadIdx.x];
  e4m3[threadIdx.x] = __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3);
  e5m2[threadIdx.x] = __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2);
}

extern "C" __global__ void from_fp8(const __nv_fp8x2_storage_t* in, __half2_raw* out) {
  out[threadIdx.x] = __nv_cvt_fp8x2_to_halfraw2(in[threadIdx.x], __NV_E4M3);
}
