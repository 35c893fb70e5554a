// Kernels for what machine code has since sm_90, sm_100 or sm_120: minima of three, of pairs, of sums and of 64 bits, accesses of
// 32 bytes, carries of 64 bits, floating-point numbers of the uniform datapath.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;

extern "C" {
__global__ void three_extremes(const int* a, const int* b, int* out, int n) {
  INDEX int x = a[i], y = b[i], z = x * 3 - y;
  unsigned u = x, v = y, w = z;
  out[8 * i] = __vimax3_s32(x, y, z);
  out[8 * i + 1] = __vimin3_s32(x, y, z);
  out[8 * i + 2] = __vimax3_u32(u, v, w);
  out[8 * i + 3] = __vimin3_u32(u, v, w);
  out[8 * i + 4] = __vimax_s32_relu(x, y);
  out[8 * i + 5] = __viaddmax_s32(x, y, z) ^ __viaddmin_s32(x, y, z);
  out[8 * i + 6] = __viaddmax_u32(u, v, w) ^ __viaddmin_u32(u, v, w);
  out[8 * i + 7] = __viaddmax_s32_relu(x, y, z);
}
__global__ void pair_extremes(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  INDEX unsigned x = a[i], y = b[i], z = x ^ y * 5;
  out[8 * i] = __vmaxs2(x, y);
  out[8 * i + 1] = __vmins2(x, y);
  out[8 * i + 2] = __vmaxu2(x, y);
  out[8 * i + 3] = __vminu2(x, y);
  out[8 * i + 4] = __vimax3_s16x2(x, y, z);
  out[8 * i + 5] = __vimin3_u16x2(x, y, z);
  out[8 * i + 6] = __vmaxu4(x, y) + __vminu4(x, z);
  out[8 * i + 7] = __vmaxs4(x, y) + __vmins4(x, z) + __vsub4(y, z);
}
__global__ void words_of_32_bytes(const double4_32a* x, const longlong4_32a* k, double4_32a* out, int n) {
  INDEX double4_32a v = x[i];
  longlong4_32a m = k[i];
  v.x += m.x, v.y *= m.y, v.z -= m.z, v.w += m.w;
  out[i] = v;
}
__global__ void wide_extremes(const long long* a, const unsigned long long* b, long long* out, long long least, unsigned long long most,
                              int n) {
  INDEX long long x = a[i];
  unsigned long long y = b[i];
  const long long low = least < (long long)most ? least : (long long)most;
  const unsigned long long high = most > (unsigned long long)least ? most : (unsigned long long)least;
  out[4 * i] = x < (long long)y ? x : (long long)y;
  out[4 * i + 1] = y > (unsigned long long)x ? y : x;
  out[4 * i + 2] = (x > low ? x : low) + low;
  out[4 * i + 3] = (y < high ? y : high) ^ high;
}
__global__ void sums_of_128_bits(const unsigned long long* a, const unsigned long long* b, unsigned long long* out, int n) {
  INDEX unsigned __int128 x = (unsigned __int128)a[i] << 64 | b[i], y = (unsigned __int128)b[i] << 64 | a[i];
  unsigned __int128 sum = x + y, rest = x - (y >> 3);
  out[4 * i] = (unsigned long long)sum, out[4 * i + 1] = (unsigned long long)(sum >> 64);
  out[4 * i + 2] = (unsigned long long)rest, out[4 * i + 3] = (unsigned long long)(rest >> 64);
}
// Floating-point numbers that are the same for every thread: sm_120 computes them once for the warp.
__global__ void uniform_sums(float a, float b, int k, float* out, int n) {
  INDEX float s = a * b, t = a + b, u = fmaf(a, b, t), v = __saturatef(fmaf(a, 0.25f, b)), w = a - floorf(b * 3.7f);
  out[8 * i] = s + i, out[8 * i + 1] = t - i, out[8 * i + 2] = u * i, out[8 * i + 3] = v + i;
  out[8 * i + 4] = w + i, out[8 * i + 5] = ceilf(s) + truncf(t) * i, out[8 * i + 6] = rintf(u) - i, out[8 * i + 7] = __fadd_rz(a, (float)k) + i;
}
__global__ void uniform_choices(float a, float b, int k, float* out, int n) {
  INDEX float s = a * b;
  if (fabsf(s) >= 8.f) s *= 0.5f;
  float t = s > b ? s : k * 1.5f;
  if (t != t) t = 1.f;
  t = !(t >= a) ? t * 3.f : t;
  float u = (t < s || t == k) ? t : s + 1.f, v = (u <= t && u != 3.f) ? u * t : t - u;
  unsigned short bits = __float_as_uint(v * 2.f);
  out[i] = (int)(v + u) * i + bits;
}
__global__ void uniform_conversions(float a, unsigned k, unsigned char small, short half_word, int* out, int n) {
  INDEX int whole = (int)a + __float2int_rd(a * 3.f) * 5 + __float2int_ru(a * 7.f) * 11 + __float2int_rn(a * 9.f) * 13;
  unsigned positive = (unsigned)fabsf(a);
  float of_small = small, of_half = half_word, of_word = k, of_int = (int)k, low = __uint2float_rz(k), high = __int2float_ru((int)k);
  unsigned short brain = __bfloat16_as_ushort(__float2bfloat16(a * 1.1f)), half = __half_as_ushort(__float2half(a * 1.3f));
  out[4 * i] = whole + i, out[4 * i + 1] = positive * i + brain, out[4 * i + 2] = __float_as_int(of_small * of_half + of_word) ^ i;
  out[4 * i + 3] = __float_as_int(of_int + low - high) + half * i;
}
// To eight bits: PTX's sin.approx differs from machine code in the last ones.
__global__ void coarse_sines(const float* a, int* out, int n) { INDEX out[i] = (int)(256.f * __sinf(a[i])) * 512 + (int)(256.f * __cosf(a[i])); }
__global__ void relaxed_memory(const int* a, int* out, int n) {
  INDEX int x;
  asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(x) : "l"(a + i));
  asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(out + i), "r"(x * 5));
}
}
