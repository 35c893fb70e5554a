// Control flow: nested loops, switches (jump tables), early returns, breaks, traps.
extern "C" __global__ void control(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i], r = 0;
  for (int k = 0; k < x; ++k) {
    if (k % 7 == 3) continue;
    int j = k;
    while (j > 1) {
      j = j % 2 == 0 ? j / 2 : 3 * j + 1;
      if (++r > 1000) break;
    }
    if (r > 5000) return;
  }
  switch (x) {
    case 0: r += in[1]; break;
    case 1: r *= in[2]; break;
    case 2: r -= in[3]; break;
    case 3: r ^= in[4]; break;
    case 4: r |= in[5] + 3; break;
    case 5: r &= in[6]; break;
    case 6: r = in[7] * r + 1; break;
    case 7: r <<= 2; break;
    case 8: __trap();
    default: r = -1;
  }
  out[i] = r;
}
