// The SIMD intrinsics on bytes and halves of a word.
extern "C" __global__ void simd_in_a_word(const unsigned* a, unsigned* out) {
  const unsigned x = a[threadIdx.x], y = a[threadIdx.x + 1], z = a[threadIdx.x + 2];
  unsigned r =
      __vadd2(x, y) ^ __vaddss2(x, y) ^ __vsubus4(x, y) ^ __vabsdiffu4(x, y) ^ __vabsdiffs2(x, y);
  r ^= __vmins4(x, y) ^ __vmaxu2(x, y) ^ __vavgu4(x, y) ^ __vavgs2(x, y) ^ __vhaddu2(x, y);
  r ^= __vcmpeq4(x, y) ^ __vcmpgtu2(x, y) ^ __vsetles4(x, y) ^ __vsadu4(x, y) ^ __vsads2(x, y) ^
       __vabs4(x) ^ __vnegss2(y);
  r ^= __vimax3_s32(x, y, z) ^ __vimin3_u16x2(x, y, z) ^ __viaddmax_s16x2_relu(x, y, z) ^
       __vimax_s32_relu(x, y);
  out[threadIdx.x] = r;
}
