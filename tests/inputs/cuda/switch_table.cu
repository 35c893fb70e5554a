// A switch of many cases, loops that leave in the middle, gotos.
extern "C" __global__ void switch_table(const int* in, int* out, int n) {
  int r = 0;
  for (int i = 0; i < n; ++i) {
    switch (in[i]) {
      case 0:
        r += out[1];
        break;
      case 1:
        r ^= out[2];
        break;
      case 2:
        r = r * 3 + out[3];
        break;
      case 3:
        r -= out[4] / (r | 1);
        break;
      case 4:
        r <<= out[5] & 3;
        break;
      case 5:
        r = -r;
        continue;
      case 6:
        r %= 17;
        break;
      case 7:
        if (r > 100) goto done;
        break;
      case 8:
        return;
      default:
        r += i;
        break;
    }
    if (r == 12345) break;
#pragma unroll 1
    for (int k = r & 3; k > 0; --k) r += in[k];
  }
done:
  out[threadIdx.x] = r;
}
