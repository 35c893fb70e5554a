// Kernels that make ptxas use many spellings of machine code (exec/machine/spellings.def): comparisons of every type,
// the same on numbers that all threads share, conversions, widths of memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
// One bit for the comparison by itself, and three for it joined with a predicate.
#define COMPARE(op, type, constraint)                                                                             \
  {                                                                                                               \
    unsigned bits;                                                                                                \
    asm("{ .reg .pred p, q; .reg .u32 a, b, c; setp.ne.u32 q, %3, 0;\n"                                           \
        "setp." #op "." #type " p, %1, %2; selp.u32 %0, 1, 0, p;\n"                                               \
        "setp." #op ".and." #type " p, %1, %2, q; selp.u32 a, 2, 0, p; or.b32 %0, %0, a;\n"                       \
        "setp." #op ".or." #type " p, %2, %1, q; selp.u32 b, 4, 0, p; or.b32 %0, %0, b;\n"                        \
        "setp." #op ".xor." #type " p, %1, %2, q; selp.u32 c, 8, 0, p; or.b32 %0, %0, c; }"                       \
        : "=r"(bits) : constraint(x), constraint(y), "r"(odd));                                                   \
    sum = sum * 17 + bits;                                                                                        \
  }
#define SIX(type, constraint)                                                                                     \
  COMPARE(lt, type, constraint) COMPARE(le, type, constraint) COMPARE(gt, type, constraint)                       \
  COMPARE(ge, type, constraint) COMPARE(eq, type, constraint) COMPARE(ne, type, constraint)
#define FOURTEEN(suffix, type, constraint)                                                                        \
  SIX(type, constraint) COMPARE(ltu suffix, type, constraint) COMPARE(leu suffix, type, constraint)               \
  COMPARE(gtu suffix, type, constraint) COMPARE(geu suffix, type, constraint) COMPARE(equ suffix, type, constraint) \
  COMPARE(neu suffix, type, constraint) COMPARE(num suffix, type, constraint) COMPARE(nan suffix, type, constraint)
__constant__ unsigned char small_table[64] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ short short_table[64] = {-1, 2, -3, 4, -5, 6, -7, 8};
__constant__ long long long_table[16] = {1ll << 40, -5, 77};
extern "C" {
__global__ void compare_words(const int* a, const int* b, unsigned* out, int n) {
  INDEX int x = a[i], y = b[i];
  unsigned sum = 0, odd = i & 1;
  SIX(s32, "r") SIX(u32, "r") out[i] = sum;
}
__global__ void compare_longs(const long long* a, const long long* b, unsigned* out, int n) {
  INDEX long long x = a[i], y = b[i];
  unsigned sum = 0, odd = i & 1;
  SIX(s64, "l") SIX(u64, "l") out[i] = sum;
}
__global__ void compare_floats(const float* a, const float* b, unsigned* out, int n) {
  INDEX float x = a[i], y = b[i];
  unsigned sum = 0, odd = i & 1;
  FOURTEEN(, f32, "f") FOURTEEN(, ftz.f32, "f") out[i] = sum;
}
__global__ void compare_doubles(const double* a, const double* b, unsigned* out, int n) {
  INDEX double x = a[i], y = b[i];
  unsigned sum = 0, odd = i & 1;
  FOURTEEN(, f64, "d") out[i] = sum;
}
// What all threads share is computed on the uniform datapath.
__global__ void shared_words(int x, int y, unsigned u, unsigned v, unsigned odd, unsigned* out, int n) {
  INDEX unsigned sum = 0;
  SIX(s32, "r") SIX(u32, "r")
  int low = x < y ? x * 3 + y : y - x, high = (int)u > y ? (int)(u << (v & 7)) : (int)(v >> (u & 15));
  unsigned mask = ((1u << (v & 31)) - 1) & (u ^ ~v) | __popc(u) + __brev(v) + __clz(u);
  for (int k = 0; k < (x & 7); ++k) sum += low * k + (high >> k);
  if (x != y && u >= v) sum ^= mask; else if (x == y || v <= 3) sum += mask;
  out[i] = sum + (unsigned)low + (unsigned)high * i;
}
__global__ void shared_longs(long long x, long long y, unsigned odd, unsigned long long* out, int n) {
  INDEX unsigned long long sum = 0;
  SIX(s64, "l") SIX(u64, "l")
  long long a = (x << 7) + (y >> 9), b = (long long)((unsigned long long)x >> 11) - (y << 3);
  long long c = x < y ? a : b, d = (unsigned long long)x >= (unsigned long long)y ? a * 5 : b + 8;
  for (long long k = 0; k < (y & 3); ++k) sum += c + k;
  if (x != 0 && y != 7) sum ^= d;
  if (x == y || b > 40) sum += 3;
  out[i + (unsigned)(c & 1)] = sum + c * (blockIdx.x + 1);
}
__global__ void byte_parameters(unsigned char a, signed char b, unsigned short c, short d, bool e, int* out, int n) {
  INDEX out[i] = a * i + b + (c ^ i) - d + (e ? 5 : i);
}
__global__ void bytes_of_constants(const int* index, long long* out, int n) {
  INDEX int k = index[i];
  out[i] = small_table[k & 63] * 3 + short_table[k & 63] + long_table[k & 15];
}
__global__ void convert_longs(const double* a, const float* b, const long long* c, double* out, int n) {
  INDEX double x = a[i] * 1e6 - 3e5, s = 0;
  float y = b[i] * 2e4f - 1e4f;
  long long l = c[i];
  s += __double2ll_rz(x) + __double2ll_rn(x) + __double2ll_rd(x) + __double2ll_ru(x) + __double2int_rz(x);
  s += __double2ull_rz(fabs(x)) + __double2uint_rz(fabs(x)) + __float2ll_rz(y) + __float2ull_rz(fabsf(y));
  s += __float2int_rn(y) + __float2int_rd(y) + __float2int_ru(y) + __float2int_rz(y) + __float2uint_rz(fabsf(y));
  s += __ll2double_rn(l) + __ull2double_rn(l) + __ll2float_rn(l) + __ull2float_rn(l) + __int2float_rz((int)l);
  s += __uint2double_rn((unsigned)l) + __int2double_rn((int)l) + __ll2double_rz(l) + __double2float_rz(x);
  s += rint(x) + floor(x) + ceil(x) + trunc(x) + rintf(y) + floorf(y) + ceilf(y) + truncf(y) + (short)l + (signed char)l;
  out[i] = s + (double)(unsigned char)y + (float)(signed char)l + (float)(unsigned short)l;
}
__global__ void round_otherwise(const double* a, const double* b, const float* c, double* out, int n) {
  INDEX double x = a[i], y = b[i] + 0.1, s = 0;
  float f = c[i], g = f + 0.3f, t = 0;
  s += __dadd_rz(x, y) + __dadd_rd(x, y) + __dadd_ru(x, y) + __dmul_rz(x, y) + __dmul_rd(x, y) + __dmul_ru(x, y);
  s += __fma_rz(x, y, s) + __fma_rd(x, y, s) + __fma_ru(x, y, s) + x / y + sqrt(y) + __ddiv_rd(x, y) + __dsqrt_ru(y);
  t += __fadd_rz(f, g) + __fadd_rd(f, g) + __fadd_ru(f, g) + __fmul_rz(f, g) + __fmul_rd(f, g) + __fmul_ru(f, g);
  t += __fmaf_rz(f, g, t) + __fmaf_rd(f, g, t) + __fmaf_ru(f, g, t) + f / g + sqrtf(g) + __fdiv_rd(f, g) + __saturatef(t);
  out[i] = s + t + fmin(x, y) + fmax(x, s) + fminf(f, t) + fmaxf(g, t);
}
__global__ void flush_small(const float* a, const float* b, float* out, int n) {
  INDEX float x = a[i], y = b[i], s, t, u, v, w, z;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(s) : "f"(x), "f"(y));
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(t) : "f"(x), "f"(s));
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(u) : "f"(x), "f"(t), "f"(y));
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(u), "f"(y));
  asm("max.ftz.f32 %0, %1, %2;" : "=f"(w) : "f"(v), "f"(t));
  asm("add.sat.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(w), "f"(s));
  int k;
  asm("cvt.rzi.ftz.s32.f32 %0, %1;" : "=r"(k) : "f"(w * 100));
  float m, p, q;
  asm("mul.sat.ftz.f32 %0, %1, %2;" : "=f"(m) : "f"(w), "f"(s));
  asm("fma.rn.sat.ftz.f32 %0, %1, %2, %3;" : "=f"(p) : "f"(w), "f"(s), "f"(x));
  asm("cvt.rni.ftz.f32.f32 %0, %1;" : "=f"(q) : "f"(w * 8));
  out[i] = z + u + v + k + m + p + q + fabsf(w) * (x > y ? s : t);
}
__global__ void pack_brain_floats(const float* a, const float* b, __nv_bfloat162* out, __half2* halves, int n) {
  INDEX __nv_bfloat162 x = __floats2bfloat162_rn(a[i], b[i]), y = __float2bfloat162_rn(a[i] + b[i]);
  __half2 h = __floats2half2_rn(a[i], b[i]), g = __float2half2_rn(b[i]);
  x = __hfma2(x, y, __hadd2(x, y));
  h = __hfma2(h, g, __hmul2(h, __hsub2(g, h)));
  if (__low2float(x) > 0.5f) x = __hmax2(x, y); else x = __hmin2(x, __hneg2(y));
  if (__hgt(__low2half(h), __high2half(g))) h = __hmax2(h, g);
  out[i] = __floats2bfloat162_rn(__bfloat162float(x.x), __bfloat162float(y.y) + 1);
  halves[i] = __hadd2(h, __half2half2(__float2half_rz(b[i])));
}
__global__ void narrow_memory(const unsigned char* a, const short* b, const double* c, const float4* d, signed char* e,
                              unsigned short* f, double* g, float4* h, int n) {
  __shared__ unsigned char bytes[256];
  __shared__ signed char signs[256];
  __shared__ unsigned short halves[256];
  __shared__ short shorts[256];
  __shared__ double doubles[256];
  __shared__ float4 fours[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, o = t ^ 5;
  if (i < n) {
    bytes[t] = __ldg(a + i), signs[t] = (signed char)(a[i] - 7), halves[t] = (unsigned short)(b[i] * 3);
    shorts[t] = __ldg(b + i), doubles[t] = __ldg(c + i), fours[t] = __ldg(d + i);
  }
  __syncthreads();
  if (i >= n) return;
  e[i] = (signed char)(bytes[o] + signs[o]);
  f[i] = (unsigned short)(halves[o] + shorts[o]);
  g[i] = doubles[o] + __ldcg(c + i) + __ldcs(c + i);
  float4 v = fours[o], w = __ldcg(d + i);
  __stcs(h + i, make_float4(v.w + w.x, v.z, v.y - w.y, v.x));
}
__global__ void swap_between_lanes(const int* a, const double* b, int* out, double* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i % n], s = 0;
  double y = b[i % n];
  for (int k = 16; k > 0; k /= 2) s += __shfl_down_sync(~0u, x, k) ^ __shfl_up_sync(~0u, x, k), y += __shfl_xor_sync(~0u, y, k);
  s += __shfl_sync(~0u, x, i * 7 & 31) + __ballot_sync(~0u, x & 1) + __any_sync(~0u, x == 3) + 2 * __all_sync(~0u, x < 99);
  s += __shfl_down_sync(~0u, x, 3, 8) + __popc(__match_any_sync(~0u, x & 3)) + __reduce_add_sync(~0u, x);
  out[i] = s + __reduce_max_sync(~0u, x) + __reduce_min_sync(~0u, (unsigned)x) + __reduce_or_sync(~0u, x);
  sums[i] = y;
}
__global__ void copy_late(const float4* a, const float2* b, float4* out, int n) {
  __shared__ float4 wide[128];
  __shared__ float2 narrow[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  unsigned to = (unsigned)__cvta_generic_to_shared(wide + t), small = (unsigned)__cvta_generic_to_shared(narrow + t);
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(a + i));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(small), "l"(b + i));
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
  __syncthreads();
  float4 v = wide[t ^ 1];
  out[i] = make_float4(v.x + narrow[t ^ 3].x, v.y, v.z, v.w - narrow[t ^ 2].y);
}
__global__ void count_in_shared(const int* a, int* out, unsigned long long* wide, int n) {
  __shared__ int bins[32];
  __shared__ unsigned long long sums[8];
  int t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  if (t < 8) sums[t] = 0;
  __syncthreads();
  int x = a[(blockIdx.x * blockDim.x + t) % n];
  atomicAdd(bins + (x & 15), x), atomicMax(bins + 16, x), atomicMin(bins + 17, -x), atomicOr(bins + 18, x);
  atomicAnd(bins + 19, x), atomicXor(bins + 20, x), atomicInc((unsigned*)bins + 21, 50u);
  atomicAdd(sums + (x & 7), (unsigned long long)x << 20);
  __syncthreads();
  if (t < 32) atomicAdd(out + t, bins[t]);
  if (t < 8) atomicAdd(wide + t, sums[t]);
}
// Numbers that a block loads for all its threads, and many registers: ptxas decides on the uniform datapath.
__global__ void __launch_bounds__(64) tiles_by_block(const int* where, const float* a, float* out, int n, int m, long long stride, unsigned long long limit) {
  __shared__ float tile[64 * 33];
  int bx = blockIdx.x, by = blockIdx.y, t = threadIdx.x;
  int from = where[by], to = where[by + 1], heads = where[8];
  if (from < 0 || to <= from || bx >= to - from + 9) return;
  long long base = (long long)from * stride + ((long long)bx << 4);
  int reach = min(bx * 32 + 32, n), first = bx > m ? bx - m : by * 2, steps = (reach - first + 7) / 8;
  unsigned bits = (1u << (to & 31)) - 1, low = (unsigned)to >= (unsigned)reach ? to - reach : to * 3;
  float acc[48];
  for (int k = 0; k < 48; ++k) acc[k] = k;
  bool edge = to == heads && reach != n || by == 1 && from <= 2;
  for (int k = 0; k < steps; ++k) {
    int at = first + k * 8;
    const float* row = a + (base + (long long)at * heads & 1023);
    if (at < to && at != m) for (int j = 0; j < 32; ++j) tile[t * 33 + j] = row[t + j];
    else if ((unsigned)at >= low && by != 1) for (int j = 0; j < 32; ++j) tile[t * 33 + j] = row[t] * j;
    else for (int j = 0; j < 32; ++j) tile[t * 33 + j] = 1;
    __syncthreads();
    if (edge) { for (int j = 0; j < 48; ++j) acc[j] += tile[(t ^ j) % 64 * 33 + (j & 31)]; }
    else for (int j = 0; j < 48; ++j) acc[j] += tile[(t ^ j) % 64 * 33 + 3] * tile[j * 33 + (t & 31)];
    __syncthreads();
    if (base + at > stride && (unsigned long long)base < limit) acc[3] += 0.5f;
    if (base >= (long long)limit || (bits >> (k & 31) & 1)) acc[4] *= 1.25f;
    unsigned long long up = (unsigned long long)base << 2;
    int half = (unsigned)(to * heads) >> 1, mask = (1 << (at & 31)) - 1;
    if (half <= m + k) acc[5] += mask & 7;
    if (up != limit && up >= 8) acc[6] += (float)(up >> 3 & 15);
    if (up > limit || base == stride) acc[7] -= 2;
    base += to > heads ? stride >> 3 : heads;
  }
  float s = 0;
  for (int k = 0; k < 48; ++k) s += acc[k] * (k + 1);
  out[(by * gridDim.x + bx) * 64 + t] = s + bits + low + (float)(base & 255);
}
#define DECIDE(condition) if (condition) { ++step; box[t ^ step & 31] += step; __syncthreads(); }
#define DECIDE_ALL(a, b)                                                                                          \
  DECIDE(a < b) DECIDE(a <= b) DECIDE(a > b) DECIDE(a >= b) DECIDE(a == b) DECIDE(a != b)                         \
  DECIDE(a < b || a == c0) DECIDE(a > b || a != c0) DECIDE(a <= b && b != c0) DECIDE(a >= b && b == c0)           \
  DECIDE(a == b && c0 > 3) DECIDE(a != b || c0 <= 3) DECIDE(a < c0 != b < c0) DECIDE(a >= c0 || b > a) DECIDE(a == c0 || b == c0)
__global__ void decisions_by_block(const int* words, const long long* wides, int* out, int n) {
  __shared__ int box[64];
  int t = threadIdx.x, step = 0;
  box[t] = t;
  __syncthreads();
  const int x = words[blockIdx.x], y = words[blockIdx.x + 1], z = words[blockIdx.x + 2];
  const long long p = wides[blockIdx.x], q = wides[blockIdx.x + 1], r = wides[blockIdx.x + 2];
  { const int c0 = z; DECIDE_ALL(x, y) }
  { const unsigned c0 = z, a = x, b = y; DECIDE_ALL(a, b) }
  { const long long c0 = r; DECIDE_ALL(p, q) }
  { const unsigned long long c0 = r, a = p, b = q; DECIDE_ALL(a, b) }
  const int chosen = x > y ? z : x, far = min(x, max(y, z)), bits = (1 << (x & 31)) - 1, shifted = (x << (y & 7)) + ((unsigned)z >> (x & 7));
  const long long wide = p < q ? r << 5 : r >> 7, other = (long long)((unsigned long long)q >> (x & 15)) + (p << (y & 15));
  for (int k = 0; k < (far & 7); ++k) { DECIDE((chosen + k & 3) != 1) DECIDE((wide + k & 5) > other) }
  out[blockIdx.x * blockDim.x + t] = box[t] + step + chosen + far + bits + shifted + (int)wide + (int)(other >> 3) + (x & y | ~z) + (x ^ z & y);
}
__global__ void masks(const int* a, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned m, c; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(m) : "r"(a[i]), "r"(i & 31)); asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(c) : "r"(a[i]), "r"(i));
  out[i] = m ^ c * 3;
}
__global__ void signed_memory(const signed char* a, const short* b, const unsigned short* c, float* out, int* numbers, int n) {
  __shared__ signed char s[256]; __shared__ short h[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  signed char x = i < n ? a[i] : 0; short y = i < n ? b[i] : 0;
  s[t] = x; h[t] = y;
  __syncthreads();
  if (i >= n) return;
  short keep[12]; unsigned char bytes[16]; signed char sb[16]; float4 wide[6];
  for (int k = 0; k < 12; ++k) keep[k] = (short)(y * k + x);
  for (int k = 0; k < 16; ++k) bytes[k] = (unsigned char)(x + k * y), sb[k] = (signed char)(x * k);
  for (int k = 0; k < 6; ++k) wide[k] = make_float4(x + k, y, k, x * k);
  int k = (c[i] + i) % 6;
  numbers[i] = a[i * 3 % n] * 5 + b[i * 5 % n] * 7 + keep[k * 2] + bytes[k + 3] + sb[k + 5] + s[t ^ 9] + h[t ^ 3] + (int)wide[k].w + (int)wide[5 - k].x;
  out[i] = (float)x + (float)y * 3 + (float)c[i] + (float)s[t ^ 1] + (float)(signed char)(y);
}
__global__ void relu_pack(const float* a, const float* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned x, y; asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(a[i] - 0.5f), "f"(b[i])); asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(a[i] - 0.5f), "f"(b[i]));
  out[2 * i] = x; out[2 * i + 1] = y;
}
__global__ void compare_halves(const __half2* a, const __half2* b, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  __half2 x = a[i], y = b[i], s = __hle2(x, y);
  s = __hadd2(s, __hgt2(x, y)); s = __hfma2(s, __heq2(x, y), __hne2(x, y)); s = __hadd2(s, __hgeu2(x, y)); s = __hadd2(s, __hlt2(y, x));
  if (__hge(x.x, y.y)) s = __hadd2(s, x); if (__hltu(x.y, y.x)) s = __hadd2(s, y); if (__hbge2(x, y)) s = __hsub2(s, x); if (__hne(x.x, y.x)) s = __hmul2(s, y);
  out[i] = s;
}
__global__ void product_of_brain_floats(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> s;
  wmma::fill_fragment(s, 0.5f); wmma::load_matrix_sync(x, a, 16); wmma::load_matrix_sync(y, b, 16);
  wmma::mma_sync(s, x, y, s); wmma::store_matrix_sync(out, s, 16, wmma::mem_row_major);
}
__global__ void batches_by_block(const int* a, int* out, int batches, int heads, long long sa, long long sb, unsigned long long limit) {
  int b = blockIdx.x / heads, h = blockIdx.x % heads, t = threadIdx.x;
  long long from = b * sa + h * sb, to = from + (h > 1 ? sb >> 2 : sb << 1);
  if (b >= batches || (unsigned long long)from > limit) { out[blockIdx.x * blockDim.x + t] = -1; return; }
  int s = 0;
  bool whole = to <= (long long)limit && h < heads - 1 || b == 0;
  for (long long k = from; k < to && k < (long long)limit; k += 5) {
    s += a[(k + t) & 255];
    if (whole && k != from) s ^= 3;
    if ((unsigned long long)k >= limit - 3 || k == to - 1) s += 7;
  }
  int v = __shfl_sync(~0u, s, 3);
  s += a[(v & 15) + (b << 2)] + (int)((unsigned long long)from >> 5) + (int)(to >> 7);
  if (__all_sync(~0u, s > -1000)) s += 2;
  out[blockIdx.x * blockDim.x + t] = s;
}
}
