// Bit counting, finding, permuting and funnel shifts; dot products of bytes and halves.
extern "C" __global__ void bit_games(const unsigned* a, const unsigned long long* l, int* out) {
  const unsigned x = a[threadIdx.x], y = a[threadIdx.x + 1];
  int r =
      __popc(x) + __clz(y) + __ffs(x) + __brev(x) + __popcll(l[0]) + __clzll(l[1]) + __ffsll(l[2]);
  r += __byte_perm(x, y, 0x3201) + __funnelshift_l(x, y, 5) + __funnelshift_rc(x, y, x) +
       __fns(x, 3, 2);
  r += __dp4a(static_cast<int>(x), static_cast<int>(y), r) + __dp4a(x, y, 3u) + __dp2a_lo(x, y, 1u);
  r += __mulhi(x, y) + __umulhi(x, y) + __mul24(x, y) + __sad(x, y, 5) + __usad(x, y, 6) +
       __hadd(x, y);
  r += static_cast<int>(__mul64hi(l[0], l[1]) + __umul64hi(l[2], l[0]) + __brevll(l[1]));
  r += (x >> (y & 31)) ^ (x << 3) ^ ((x >> 4) & 0xff) ^ (static_cast<int>(x << 11) >> 20);
  out[threadIdx.x] = r;
}
