// Arrays in local memory, indexed by data; structures passed by value; alloca-like frames.
struct Big {
  int values[24];
};
__device__ __noinline__ int pick(Big big, int at) {
  return big.values[at % 24] + big.values[(at * 7) % 24];
}

extern "C" __global__ void local_arrays(const int* in, int* out) {
  Big big;
  char bytes[33];
  for (int i = 0; i < 24; ++i) big.values[i] = in[i] * i;
  for (int i = 0; i < 33; ++i) bytes[i] = static_cast<char>(in[(i * 5) % 24]);
  out[threadIdx.x] = pick(big, in[threadIdx.x]) + bytes[in[threadIdx.x + 1] % 33];
}
