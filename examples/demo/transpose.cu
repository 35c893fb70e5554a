// Transposes a matrix of n x n floats: a block of 32 x 8 threads moves a tile of 32 x 32.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    out[x * n + y + j] = in[(y + j) * n + x];
  }
}
