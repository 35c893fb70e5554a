// sm_100: two single-precision operations at once, mixed precision, wide loads.
extern "C" __global__ void packed_floats(const float2* a, float2* out, float* wide) {
#if __CUDA_ARCH__ >= 1000
  const float2 x = a[0], y = a[1];
  float2 r = __ffma2_rn(x, y, __fadd2_rz(x, y));
  r = __fmul2_rn(r, x);
  out[threadIdx.x] = r;
  float v[8];
  asm volatile("ld.global.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]),
                 "=f"(v[7])
               : "l"(wide));
  asm volatile("st.global.v8.f32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"f"(v[7]), "f"(v[6]),
               "f"(v[5]), "f"(v[4]), "f"(v[3]), "f"(v[2]), "f"(v[1]), "f"(v[0]), "l"(wide + 8)
               : "memory");
#else
  out[threadIdx.x] = a[threadIdx.x];
#endif
}
