// One thread, one element: arithmetic of every width.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
extern "C" {
__global__ void vector_add(const float* x, const float* y, float* out, int n) { INDEX out[i] = x[i] + y[i]; }
__global__ void daxpy(double a, const double* x, double* y, int n) { INDEX y[i] = a * x[i] + y[i]; }
__global__ void strided_copy(const int* in, int* out, int stride, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[(i * stride) % n];
}
__global__ void gather(const float* x, const int* index, float* out, int n) { INDEX out[i] = x[index[i]]; }
__global__ void vector4(const float4* x, float4* out, int n) {
  INDEX float4 v = x[i]; out[i] = make_float4(v.w, v.z, v.y, v.x);
}
__global__ void integer_mix(const int* a, const int* b, long long* out, int n) {
  INDEX
  long long r = (long long)a[i] * b[i];
  r += a[i] / (b[i] | 1) + a[i] % (b[i] | 1);
  r ^= (long long)__mulhi(a[i], b[i]) << 20;
  r += __popc(a[i]) + __clz(b[i]) + __ffs(a[i]) + (int)__brev(b[i]);
  r += (unsigned)a[i] / ((unsigned)b[i] | 1u) + __usad(a[i], b[i], 7u);
  out[i] = r;
}
__global__ void wide_division(const unsigned long long* a, const unsigned long long* b, unsigned long long* out, int n) {
  INDEX out[i] = a[i] / (b[i] | 1) + a[i] % (b[i] | 1) * 3 + __umul64hi(a[i], b[i]);
}
__global__ void shifts(const unsigned* a, unsigned* out, int n) {
  INDEX
  unsigned v = a[i];
  out[i] = __funnelshift_l(v, ~v, i) ^ __funnelshift_rc(v, v * 3, i * 2) ^ (v >> (i & 31)) ^ (v << (i & 31)) ^
           __byte_perm(v, ~v, 0x5140 + i % 4);
}
__global__ void dot_bytes(const int* a, const int* b, int* out, int n) { INDEX out[i] = __dp4a(a[i], b[i], __dp2a_lo(a[i], b[i], i)); }
__global__ void video(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  INDEX out[i] = __vadd4(a[i], b[i]) ^ __vabsdiffu4(a[i], b[i]) ^ __vmaxs2(a[i], b[i]) ^ __vsadu4(a[i], b[i]);
}
__global__ void half_math(const __half* x, const __half* y, __half* out, int n) {
  INDEX out[i] = __hfma(x[i], y[i], __hadd(x[i], __hmul(y[i], y[i])));
}
__global__ void half2_math(const __half2* x, const __half2* y, __half2* out, int n) {
  INDEX out[i] = __hfma2(x[i], y[i], __hmax2(x[i], y[i]));
}
__global__ void bfloat_math(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out, int n) {
  INDEX out[i] = __hfma(x[i], y[i], y[i]);
}
__global__ void roundings(const float* x, const float* y, float* out, int n) {
  INDEX
  out[i] = __fadd_rz(x[i], y[i]) + __fmul_ru(x[i], y[i]) - __fdiv_rd(x[i], y[i] + 1.0f) + __fsqrt_rn(x[i]) +
           __fmaf_rz(x[i], y[i], 1.0f) + __frcp_ru(x[i] + 1.0f);
}
__global__ void conversions(const float* x, int* out, int n) {
  INDEX
  float v = x[i] * 1000.0f - 500.0f;
  out[i] = __float2int_rn(v) + 3 * __float2int_ru(v) + 5 * (int)__float2uint_rz(v) + (int)__float2ll_rd(v * 7) +
           (int)(__half2float(__float2half_rn(v))) + (short)__double2int_rz(v * 3.0);
}
__global__ void fp8_round_trip(const float* x, float* out, int n) {
  INDEX __nv_fp8_e4m3 v(x[i] * 64.0f - 32.0f); out[i] = (float)v;
}
__global__ void library_math(const float* x, float* out, int n) {
  INDEX float v = x[i] * 8.0f - 4.0f; out[i] = sinf(v) + cosf(v) + expf(v) + logf(v * v + 1.0f) + tanhf(v) + powf(v * v, 0.3f) + erff(v);
}
__global__ void library_double(const double* x, double* out, int n) {
  INDEX double v = x[i] * 8.0 - 4.0; out[i] = sin(v) + exp(v) + log(v * v + 1.0) + sqrt(v * v) + atan(v) + 1.0 / (v * v + 1.0);
}
__global__ void fast_math(const float* x, float* out, int n) {
  INDEX float v = x[i] + 0.25f; out[i] = __expf(v) + __logf(v) + __sinf(v) + __cosf(v) + __fdividef(1.0f, v) + rsqrtf(v);
}
struct Params { float scale; int offset; float table[6]; };
__global__ void struct_param(Params p, float* out, int n) { INDEX out[i] = p.scale * p.table[i % 6] + p.offset; }
__constant__ float coefficients[5] = {1.0f, -2.0f, 0.5f, 0.25f, -0.125f};
__device__ int counter = 41;
__device__ int* counter_pointer = &counter;
__global__ void polynomial(const float* x, float* out, int n) {
  INDEX float r = 0; for (int k = 4; k >= 0; --k) r = r * x[i] + coefficients[k];
  if (i == 0) atomicAdd(counter_pointer, 1);
  out[i] = r + (i == n - 1 ? 0.0f : 0.0f);
}
}
