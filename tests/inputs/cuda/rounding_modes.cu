// Every directed rounding of single and double precision.
extern "C" __global__ void rounding_modes(const float* a, const double* d, float* f, double* g,
                                          int* i) {
  const float x = a[threadIdx.x], y = a[threadIdx.x + 1];
  f[0] = __fadd_rd(x, y) + __fsub_ru(x, y) + __fmul_rz(x, y) + __fmaf_rd(x, y, x) + __fdiv_ru(x, y);
  f[1] = __frcp_rd(x) + __fsqrt_ru(y) + __frsqrt_rn(x) + __saturatef(y) + __double2float_ru(d[0]);
  const double p = d[threadIdx.x], q = d[threadIdx.x + 1];
  g[0] = __dadd_ru(p, q) + __dmul_rd(p, q) + __fma_rz(p, q, p) + __ddiv_rd(p, q) + __drcp_ru(p) +
         __dsqrt_rd(q);
  i[0] = __float2int_rd(x) + __float2uint_ru(y) + __double2int_rn(p) +
         static_cast<int>(__double2ull_rz(q));
  f[2] = __int2float_rd(i[1]) + __ull2float_ru(i[2]) + __uint2float_rz(i[3]);
  g[1] = __ll2double_rd(i[1]) + __hiloint2double(i[1], __double2hiint(p));
}
