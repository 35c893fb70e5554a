// Integer arithmetic of every width: division, high products, bit fields, carries, dot products.
extern "C" __global__ void integer(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = a[i], y = b[i] | 1;
  const unsigned ux = x, uy = y;
  int r = x / y + x % y;
  r += ux / uy + ux % uy;
  r ^= __mulhi(x, y) + __umulhi(ux, uy) + __mul24(x, y);
  r += __popc(ux) + __clz(x) + __brev(ux) + __ffs(x);
  r += __byte_perm(ux, uy, 0x6420) + __funnelshift_l(ux, uy, 7) + __funnelshift_r(ux, uy, 9);
  r += abs(x) + min(x, y) + max(ux, uy) + __sad(x, y, ux);
  r += __dp4a(x, y, r) + __dp2a_lo(x, y, r) + (x << (y & 31)) + (x >> (y & 31)) + (ux >> 3);
  out[i] = r;
}

extern "C" __global__ void wide_integer(const long long* a, const long long* b, long long* out) {
  const long long x = a[threadIdx.x], y = b[threadIdx.x] | 1;
  const unsigned long long ux = x, uy = y;
  out[threadIdx.x] = x / y + ux % uy + __mul64hi(x, y) + __umul64hi(ux, uy) + __popcll(ux) +
                     __clzll(x) + __brevll(ux) + (x >> 5) + (ux << 7);
}

extern "C" __global__ void small_integer(const short* a, const unsigned char* b, short* out) {
  const short x = a[threadIdx.x];
  const unsigned char y = b[threadIdx.x];
  out[threadIdx.x] = static_cast<short>(x * y + (x >> 2) - (y << 1) + min(static_cast<int>(x), static_cast<int>(y)));
}

extern "C" __global__ void carries(const unsigned* a, const unsigned* b, unsigned* out) {
  unsigned low, high;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;"
      : "=r"(low), "=r"(high)
      : "r"(a[0]), "r"(b[0]), "r"(a[1]), "r"(b[1]));
  asm("mad.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.u32 %1, %2, %3, %1;"
      : "+r"(low), "+r"(high)
      : "r"(a[2]), "r"(b[2]));
  out[0] = low;
  out[1] = high;
}
