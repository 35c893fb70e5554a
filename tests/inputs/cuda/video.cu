// Packed byte and half-word arithmetic, and scalar video instructions.
extern "C" __global__ void video(const unsigned* a, const unsigned* b, unsigned* out) {
  const unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  unsigned r = __vadd4(x, y) + __vabsdiffu4(x, y) + __vmaxs2(x, y) + __vcmpgtu4(x, y) + __vavgu2(x, y);
  unsigned s;
  asm("vadd.u32.u32.s32.sat.add %0, %1.b0, %2.h1, %3;" : "=r"(s) : "r"(x), "r"(y), "r"(r));
  r += s;
  asm("vmad.s32.s32.u32.shr7 %0, %1.h0, %2.b3, %3;" : "=r"(s) : "r"(x), "r"(y), "r"(r));
  r += s;
  asm("vadd4.u32.u32.u32.sat %0, %1.b3210, %2.b7654, %3;" : "=r"(s) : "r"(x), "r"(y), "r"(r));
  out[threadIdx.x] = r + s;
}
