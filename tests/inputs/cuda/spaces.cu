// State spaces: constants, initialised globals, local arrays, large parameters, generic pointers.
struct Big {
  int values[40];
  double scale;
};

__constant__ float weights[16] = {1.0f, 0.5f, -0.25f, 3.5f};
__constant__ int shift = 3;
__device__ int counters[4] = {1, -2, 3};
__device__ int* pointer = &counters[2];
__device__ const char* text = "warp";
__device__ double tail = 0.1;

extern "C" __global__ void spaces(const __grid_constant__ Big big, float* out, int n) {
  __shared__ float tile[64];
  float local[24];
  for (int i = 0; i < n; ++i) local[(i * 7) % 24] = weights[i % 16] * big.values[i % 40];
  tile[threadIdx.x % 64] = local[n % 24] + shift + *pointer + text[threadIdx.x % 4];
  float* generic = n > 3 ? tile : local;
  out[threadIdx.x] = generic[n % 24] + static_cast<float>(big.scale + tail);
  atomicAdd(&counters[threadIdx.x % 4], 1);
}
