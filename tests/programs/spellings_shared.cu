// Numbers that all threads of a block share, mixed and compared in many ways: ptxas computes them on the uniform datapath
// and needs spellings of it that few kernels have (exec/machine/spellings.def). The expressions have no meaning.
using Long = long long;
using Wide = unsigned long long;
#define BEGIN                                                                                             \
  __shared__ float sh[128];                                                                               \
  unsigned bx = blockIdx.x, by = blockIdx.y;                                                              \
  Long gy = gridDim.y, k0 = 0;                                                                            \
  int j0 = 0, t = threadIdx.x;                                                                            \
  float s = t, w[8];                                                                                      \
  for (int z = 0; z < 8; ++z) w[z] = z;
#define END                                                                                               \
  for (int z = 0; z < 8; ++z) s += w[z] * z;                                                              \
  out[(by * gridDim.x + bx) * blockDim.x + t] =                                                           \
      s + (float)(c0 & 255) + (float)(i1 & 255) + (float)(i0 & 63) + (float)(c1 & 63);
#define SWAP_BY(with)                                                                                     \
  sh[t] = s; __syncthreads(); s += sh[t ^ with]; __syncthreads();
#define ADD_ALL                                                                                           \
  for (int z = 0; z < 8; ++z) w[z] += s * z + sh[z]; __syncthreads();
#define PARAMETERS const float* a, float* out, const Long* e, const int* f, Long m, Long n, int p, int q
extern "C" {
__global__ void share_1(PARAMETERS) {
  BEGIN
  Long c0 = m * 3, c1 = e[bx+1] - c0; int i0 = p * 3, i1 = (p + 127) / 128 - 1;
  for (j0 = i0 & 15; j0 > 0; --j0) { SWAP_BY(j0) if ((Wide)((i1 == 7) ? ((Long)bx >> 1)
      : 64) == (Wide)((n >> 1) >> 4)) s *= 1.5f; ADD_ALL }
  c0 = (((1000 >> 4) + (((Long)bx == c0) ? 1000 : n)) + c0);
      if ((((Long)by - 1000) + (Long)bx) < c0) i0 = ((int)by + i1);
  for (j0 = i1 & 15; j0 > 0; --j0) { SWAP_BY(j0) if (((Wide)gy <= (Wide)((Long)q + (Long)bx))
      && (i1 != (p + i0))) s *= 1.5f; ADD_ALL }
  c0 = ((i1 >= ((i0 + 127) / 7 - 3)) ? c1 : ((n << 4) + 64));
      if ((Wide)((gy << 3) + (k0 + k0)) <= (Wide)((((Long)bx != 64) ? k0 : (Long)by) + (Long)q)) i0 = j0;
  if (1000 != (gy + ((Long)by - (Long)bx))) { for (int z = 0; z < 8; ++z) w[z] += a[(((64 + ((p < (int)bx)
      ? ((c0 <= m) ? 1000 : (Long)p) : (c1 - c0)))) & 255) * z + t]; } else { s += (((m > (Long)q) || (c0 == c1))
      ? ((j0 & (int)bx) + ((int)by >> 4)) : ((m != n) ? (p >> 2) : (i1 + q))); __syncthreads(); }
  END
}
__global__ void share_2(PARAMETERS) {
  BEGIN
  Long c0 = m * 3, c1 = e[bx+1] - c0; int i0 = (int)by * q, i1 = p / q;
  if (((int)by + ((i1 + 127) / 3 - 3)) != (((((Wide)c0 <= (Wide)(Long)bx) ? (int)bx : j0) + 255) / 3 - 1))
      { for (int z = 0; z < 8; ++z) w[z] += a[(((((64 + m) - ((Long)q >> 1)) >> 3)) & 255) * z + t]; } else
      { s += (((int)bx & j0) + i1); __syncthreads(); }
  c0 = (((((Wide)(Long)q < (Wide)(Long)bx) ? (Long)bx : (Long)p) >> 6) << 1);
      if ((Long)by == gy) i0 = ((((Long)q + k0) == (k0 + c1)) ? (i1 + ((int)bx & (int)by))
      : ((i0 + (int)bx) + ((int)bx & q)));
  if (((c1 << 2) - c1) < c1) s += a[(((c0 << 5)) & 1023) + t];
  for (k0 = ((n + (((int)bx <= i1) ? c0 : (Long)bx)) + n) & 7; k0 < (((Long)q >> 3) & 15); k0 += 3)
      { s += a[((c1) & 1023) + t];
      if ((((Long)bx + (Long)q) + (gy + 64)) <= ((64 << 6) + ((Long)by >> 1))) w[3] += s; }
  if (((i1 > i1) ? ((j0 + 255) / 64 - 0) : ((j0 > p) ? i1 : 7)) < (((q + i1) + 63) / 128 - 2)) { for (int z = 0;
      z < 8; ++z) w[z] += a[((((((64 <= (Long)q) ? q : i1) >= (q >> 4)) ? ((1000 + (Long)by) + 1000)
      : k0)) & 255) * z + t]; } else { s += (((c1 != gy) || ((Wide)k0 < (Wide)c0)) ? ((i0 + q) & (q & j0))
      : ((p + (int)by) + (i1 >> 2))); __syncthreads(); }
  END
}
__global__ void share_3(PARAMETERS) {
  BEGIN
  Long c0 = m * 3, c1 = (Long)bx * m; int i0 = (int)by * q, i1 = p / q;
  if (((i1 + (int)by) == ((q > i0) ? i0 : j0)) && ((Wide)(n << 5) == (Wide)((m >= 1000) ? (Long)p
      : gy))) s += a[(((((c1 + (Long)q) + (1000 + n)) + ((gy + n) + (1000 + c0)))) & 1023) + t];
  c0 = gy; if ((((Long)q <= gy) || ((Wide)gy != (Wide)1000)) && (((7 > p) || (k0 < gy))
      || (((Wide)(Long)q <= (Wide)1000) || (i1 <= q)))) i0 = ((j0 >> 4) + (((int)bx > (int)by) ? i1 : (i0 >> 4)));
  for (j0 = (((((j0 <= i1) ? (int)bx : i1) >> 1) + 31) / 128 - 1) & 15; j0 > 0; --j0)
      { SWAP_BY(j0) if ((Wide)((c0 + k0) + (c1 >> 4)) != (Wide)m) s *= 1.5f; ADD_ALL }
  if ((Wide)(((Long)p + (Long)q) + (Long)bx) != (Wide)(((Long)p + m) >> 3))
      { out[(by * gridDim.x + bx) * blockDim.x + t] = s; return; }
  END
}
__global__ void share_4(PARAMETERS) {
  BEGIN
  Long c0 = e[by], c1 = (Long)bx * m; int i0 = (int)by * q, i1 = (int)bx - p;
  if ((Wide)((1000 - c1) << 6) != (Wide)((7 >= q) ? (n << 1) : n)) { for (int z = 0; z < 8;
      ++z) w[z] += a[((((1000 - (n >> 3)) - (c0 >> 4))) & 255) * z + t]; } else { s += p; __syncthreads(); }
  if (((Long)q + (Long)by) > (Long)q) s += a[((((((Long)p << 2) > (64 - 1000)) ? ((gy >= 1000) ? (k0 - 64)
      : (Long)q) : (((int)bx != j0) ? (n + c1) : ((Long)by + c1)))) & 1023) + t];
  for (k0 = (((gy - (Long)q) + (k0 >> 2)) >> 2) & 7; k0 < ((Long)p & 15); k0 += 1) { s += a[((k0) & 1023) + t];
      if ((n < c1) || ((i0 + i0) <= (q + j0))) w[5] += s; }
  END
}
}
