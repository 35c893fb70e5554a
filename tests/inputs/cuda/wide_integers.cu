// Integers of 128 bits: chains of carries.
extern "C" __global__ void wide_integers(const __int128* a, unsigned __int128* out, int n) {
  const __int128 x = a[0], y = a[1];
  out[0] = static_cast<unsigned __int128>(x * y + x) - static_cast<unsigned __int128>(y);
  out[1] = static_cast<unsigned __int128>(x) >> n;
  out[2] = static_cast<unsigned __int128>(x < y ? x << n : -y);
  out[3] = static_cast<unsigned __int128>(x) / static_cast<unsigned __int128>(y);
}
