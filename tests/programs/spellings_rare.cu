// Kernels for spellings that few kernels have and many of PyTorch's (exec/machine/spellings.def): generic, volatile and
// local memory, atomics, conversions, slow paths of division and of sines, lanes that meet apart.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
struct Two { __half a, b; };
extern "C" {
__global__ void half_parameters(const __half* a, __half* out, Two t, __half s, __nv_bfloat16 q, int n) {
  INDEX __half x = a[i];
  out[i] = __hgt(x, s) ? __hmul(x, t.a) : __hadd(t.b, x);
  out[i + n] = s;
  out[i + 2 * n] = __hlt(x, t.a) ? t.b : __float2half(__bfloat162float(q));
}
__global__ void negated_halves(const float* a, __half* h, __nv_bfloat16* b, __nv_bfloat16* z, int n) {
  INDEX float x = a[i];
  h[i] = __float2half(-x), b[i] = __float2bfloat16(-x), z[i] = __float2bfloat16_rz(x);
}
__global__ void divide_by_shared(const long long* a, long long* out, long long by, int n) {
  INDEX out[i] = a[i] / by, out[i + n] = a[i] % by;
}
__global__ void sines(const float* a, float* out, int n) { INDEX out[i] = sinf(a[i]), out[i + n] = cosf(a[i]); }
__global__ void set_halves(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  INDEX unsigned r, s;
  asm("set.le.u32.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a[i]), "r"(b[i]));
  asm("set.gt.f16x2.f16x2 %0, %1, %2;" : "=r"(s) : "r"(a[i]), "r"(b[i]));
  out[2 * i] = r, out[2 * i + 1] = s;
}
__global__ void set_floats(const float* a, const float* b, float* out, int n) {
  INDEX float x = a[i], y = b[i], r, s;
  out[i] = x < y ? 1.f : 0.f, out[i + n] = x > y ? 1.f : 0.f, out[i + 2 * n] = x <= y ? 1.f : 0.f;
  asm("set.neu.f32.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  asm("set.eq.f32.f32 %0, %1, %2;" : "=f"(s) : "f"(x), "f"(y));
  out[i + 3 * n] = r, out[i + 4 * n] = s;
  asm("set.leu.f32.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(s) : "f"(x), "f"(y));
  out[i + 5 * n] = r, out[i + 6 * n] = s;
}
__global__ void remainders(const double* a, const double* b, double* out, int n) { INDEX out[i] = fmod(a[i], b[i]); }
__global__ void short_quotients(const unsigned char* a, const unsigned short* b, unsigned char* c, unsigned short* d, int n) {
  INDEX c[i] = a[i] / (a[n - 1 - i] | 1), d[i] = b[i] / (b[n - 1 - i] | 1);
}
__global__ void floors(const float* a, const double* b, long long* out, int n) {
  INDEX float x = a[i] * 5000, y = fabsf(x);
  double z = b[i] * 5000;
  out[i] = (unsigned)floorf(y) + 3ull * (unsigned)ceilf(y) + 7ull * (unsigned)rintf(y) + __float2ll_rn(x) * 11;
  out[i + n] = __float2ll_ru(x) + 3 * __float2ull_rn(y) + 5 * __float2ull_rd(y) + 7ll * __double2int_rd(z);
  out[i + 2 * n] = __double2int_ru(z) + 3ll * __double2uint_rd(fabs(z)) + 5 * (long long)__double2ull_ru(fabs(z));
}
__global__ void digits(const unsigned char* a, float* out, unsigned bits, int n) {
  INDEX unsigned x = a[i], low, mask;
  asm("bfe.u32 %0, %1, 0, 4;" : "=r"(low) : "r"(x));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(0), "r"(bits));
  out[i] = (float)low + (float)a[n - 1 - i] * 0.5f + (float)(x & mask) * 0.25f + (float)(int)(x * i & 255);
}
__global__ void read_only(const int* __restrict__ a, const unsigned short* __restrict__ b, const signed char* __restrict__ c, const short* d,
                          int* out, int n) {
  INDEX out[i] = __ldg(a + i) + __ldg(b + i) + __ldg(c + i) + d[i];
}
__device__ int* choose(int which, int* a, int* b, int* c) { return which == 0 ? a : which == 1 ? b : c; }
// Where a pointer leads is known to nobody before it runs.
__global__ void generic_memory(int* a, int* out, int which, int n) {
  __shared__ __align__(16) int here[64 * 4];
  __align__(16) int own[8];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) here[4 * t + k] = t * k;
  for (int k = 0; k < 8; ++k) own[k] = n * (k + t);
  __syncthreads();
  int* p = choose(which, a + 4 * t, here + 4 * t, own + 4 * (t & 1));
  int4 v = *(int4*)p;
  *(int4*)p = make_int4(v.y, v.z, v.w, v.x + 1);
  asm volatile("" ::: "memory");
  long long w = *(long long*)p + *(unsigned char*)(p + 1) + *(unsigned short*)(p + 2) + *(short*)(p + 3) + *(signed char*)(p + 3);
  asm volatile("" ::: "memory");
  *(unsigned short*)(p + 1) = (unsigned short)w, *(unsigned char*)(p + 2) = (unsigned char)(w >> 3);
  out[t] = (int)w + p[0] + __isLocal(p) * 2 + __isShared(p) * 4 + __isGlobal(p);
  out[t + 64] = p[1] + p[2] + own[t & 7] + here[4 * t + 1];
}
#define STRONG(scope)                                                                                       \
  {                                                                                                         \
    unsigned x, y, z, w; unsigned short h; unsigned long long d;                                            \
    asm volatile("ld.relaxed." scope ".u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");                       \
    asm volatile("st.relaxed." scope ".u32 [%1], %0;" :: "r"(x + 1), "l"(p) : "memory");                    \
    asm volatile("ld.relaxed." scope ".u64 %0, [%1];" : "=l"(d) : "l"(p + 2) : "memory");                   \
    asm volatile("st.relaxed." scope ".u64 [%1], %0;" :: "l"(d * 3 + x), "l"(p + 2) : "memory");            \
    asm volatile("ld.relaxed." scope ".u16 %0, [%1];" : "=h"(h) : "l"(p + 1) : "memory");                   \
    asm volatile("st.relaxed." scope ".u16 [%1], %0;" :: "h"((unsigned short)(h * 5)), "l"(p + 1) : "memory"); \
    asm volatile("ld.relaxed." scope ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p) : "memory"); \
    asm volatile("st.relaxed." scope ".v4.u32 [%4], {%0, %1, %2, %3};" :: "r"(x ^ w), "r"(y), "r"(z + y), "r"(w), "l"(p) : "memory"); \
  }
__global__ void strong_memory(unsigned* a, unsigned* out, int which, int n) {
  __shared__ __align__(16) unsigned here[64 * 4];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) here[4 * t + k] = t * k;
  __syncthreads();
  unsigned* p = which ? a + 4 * t : here + 4 * t;
  STRONG("cta") STRONG("gpu") STRONG("sys")
  asm volatile("fence.acq_rel.gpu;\nfence.acq_rel.sys;\nfence.sc.sys;\nfence.acq_rel.cta;" ::: "memory");
  for (int k = 0; k < 4; ++k) out[4 * t + k] = p[k];
  p = a + 256 + 4 * t;
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1; st.relaxed.sys.global.u32 [%0+4], %1;" :: "l"(p), "r"(t) : "memory");
  unsigned x, y, z;
  unsigned long long d;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%3]; ld.relaxed.sys.global.u32 %1, [%3+4]; ld.relaxed.cta.global.u32 %2, [%3+8];"
               : "=r"(x), "=r"(y), "=r"(z) : "l"(p) : "memory");
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1+8]; st.relaxed.sys.global.u64 [%1+8], %2;" : "=l"(d) : "l"(p), "l"(7ull) : "memory");
  asm volatile("st.relaxed.cta.global.u32 [%0], %1;" :: "l"(p), "r"((unsigned)d + x + y + z) : "memory");
}
__global__ void update_anywhere(int* a, unsigned long long* b, __half2* c, int* out, int which) {
  __shared__ int here[64];
  __shared__ __half2 pairs[8];
  __shared__ float sums[4];
  __shared__ unsigned bounds[2];
  int t = threadIdx.x;
  here[t] = 0;
  if (t < 8) pairs[t] = __half2half2((__half)0.f);
  if (t < 4) sums[t] = 0;
  if (t < 2) bounds[t] = 40;
  __syncthreads();
  int* p = which ? a : here;
  __half2* h = which ? c : pairs;
  atomicCAS_system(p + t, 0, 5), atomicCAS(p + t, 5, 6), atomicCAS(here + t, 6, 9);
  b[t] = atomicCAS(b + t + 64, (unsigned long long)(t & 1), 3ull);
  atomicAdd(h + (t & 7), __half2half2((__half)1.f)), atomicAdd(sums + (t & 3), 1.f);
  atomicMin(bounds, (unsigned)t + 3), atomicMax(bounds + 1, (unsigned)t * 2);
  __syncthreads();
  out[t] = p[t] + here[t] * 16 + (int)sums[t & 3] * 256 + (int)bounds[t & 1] * 4096;
  c[8 + t] = h[t & 7];
}
// Whole warps meet where threads part: nobody knows before it runs that these are whole.
__global__ void meet_apart(const int* a, int* out, int n) {
  __shared__ int box[128];
  int t = threadIdx.x, s = a[t % n];
  box[t] = s;
  __syncthreads();
  if (t < 32) {
    for (int k = 1; k < 4; ++k) box[t + 32 * k] += box[t + 32 * k - 32];
    __syncwarp();
    s += box[(t ^ 9) + 96];
    __syncwarp();
    box[t] = s;
    __syncwarp();
    s += box[31 - t] + __shfl_sync(~0u, s, 3);
  }
  out[t] = s;
}
// More than fits into 32 registers.
__global__ void __launch_bounds__(1024, 2) crowded(const int* a, const double* b, const short* c, int* out, double* wide, int n) {
  INDEX int x[40];
  double y[12];
  short z[8];
  for (int k = 0; k < 40; ++k) x[k] = a[(i + k) % n];
  for (int k = 0; k < 12; ++k) y[k] = b[(i * 3 + k) % n];
  for (int k = 0; k < 8; ++k) z[k] = c[(i * 5 + k) % n];
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 40; ++k) x[k] = x[k] * x[(k + 7) % 40] + x[(k * 3 + r) % 40];
    for (int k = 0; k < 12; ++k) y[k] = y[k] * y[(k + 5) % 12] + x[k];
    for (int k = 0; k < 8; ++k) z[k] = (short)(z[k] * z[(k + 3) % 8] + x[k]);
  }
  int s = 0;
  double w = 0;
  for (int k = 0; k < 40; ++k) s = s * 31 + x[k];
  for (int k = 0; k < 12; ++k) w = w * 0.5 + y[k];
  for (int k = 0; k < 8; ++k) s = s * 7 + z[k];
  out[i] = s, wide[i] = w;
}
__global__ void own_memory(const unsigned char* a, const short* b, int* out, int n) {
  INDEX unsigned char bytes[16];
  short shorts[8];
  unsigned short plain[8];
  __align__(16) float4 wide[3];
  for (int k = 0; k < 16; ++k) bytes[k] = (unsigned char)(a[i] * k);
  for (int k = 0; k < 8; ++k) shorts[k] = (short)(b[i] - k * 1000), plain[k] = (unsigned short)(b[i] * k);
  for (int k = 0; k < 3; ++k) wide[k] = make_float4(a[i], k, b[i], a[i] * k);
  bytes[a[i] & 15] = a[n - 1 - i], shorts[a[i] & 7] = b[n - 1 - i], plain[a[i] & 7] = (unsigned short)i;
  const float4 v = wide[a[i] % 3];
  out[i] = bytes[b[i] & 15] + shorts[b[i] & 7] + plain[b[i] >> 3 & 7] + (int)(v.x + v.y + v.z + v.w);
}
__global__ void small_products(const unsigned short* a, const unsigned short* b, const float* c, float* out) {
  int t = threadIdx.x;
  const unsigned* x = (const unsigned*)a;
  const unsigned* y = (const unsigned*)b;
  unsigned r[4] = {x[t], x[t + 32], y[t], y[t + 32]};
  float d[4] = {c[t], c[t + 32], c[t + 64], c[t + 96]};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[1]), "r"(r[2]), "r"(r[3]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%6, %4}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
  for (int k = 0; k < 4; ++k) out[4 * t + k] = d[k];
}
// Copies of fewer bytes than they write: the rest is zero.
__global__ void copy_in_part(const uint4* a, const uint2* b, uint4* out, unsigned from) {
  __shared__ uint4 wide[32];
  __shared__ uint2 narrow[32];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(wide + t), small = (unsigned)__cvta_generic_to_shared(narrow + t);
  unsigned bytes = (from + t) % 17, few = (from + t) % 9;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(a + t), "r"(bytes));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(small), "l"(b + t), "r"(few));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[t] = wide[t], out[t + 32] = make_uint4(narrow[t].x, narrow[t].y, 0, 0);
}
__global__ void stop_here(int* out) {
  out[threadIdx.x] = 3;
  __syncthreads();
  if (out[0] == 3) __trap();
  out[threadIdx.x] = 4;
}
}
