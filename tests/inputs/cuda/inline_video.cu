// Video instructions with selectors, as inline PTX.
extern "C" __global__ void inline_video(const unsigned* a, unsigned* out) {
  const unsigned x = a[0], y = a[1], z = a[2];
  unsigned r[6];
  asm("vadd.s32.u32.s32.sat %0.b1, %1.b3, %2.h0, %3;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(z));
  asm("vmad.s32.s32.s32.sat.shr7 %0, -%1.h1, %2.b0, %3;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(z));
  asm("vset.u32.s32.le.max %0, %1.b2, %2.h1, %3;" : "=r"(r[2]) : "r"(x), "r"(y), "r"(z));
  asm("vshl.u32.u32.u32.clamp.add %0, %1, %2.b0, %3;" : "=r"(r[3]) : "r"(x), "r"(y), "r"(z));
  asm("vabsdiff2.u32.s32.u32.add %0.h1, %1.h01, %2.h32, %3;" : "=r"(r[4]) : "r"(x), "r"(y), "r"(z));
  asm("vmax4.s32.u32.s32 %0.b310, %1.b0123, %2.b7531, %3;" : "=r"(r[5]) : "r"(x), "r"(y), "r"(z));
  out[0] = r[0] ^ r[1] ^ r[2] ^ r[3] ^ r[4] ^ r[5];
}
