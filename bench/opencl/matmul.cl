// The kernels of kernels/matmul.cu in OpenCL C, statement by statement: what PoCL and Oclgrind run.

__kernel void matmul_naive(__global const float* restrict a, __global const float* restrict b,
                           __global float* c, int m, int n, int k) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__kernel void matmul_tiled(__global const float* restrict a, __global const float* restrict b,
                           __global float* c, int m, int n, int k) {
  __local float tile_a[16][16], tile_b[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_group_id(0) * 16 + x, row = get_group_id(1) * 16 + y;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    tile_a[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
    tile_b[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; ++i) sum += tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

__kernel void matmul_register_tiled(__global const float* restrict a,
                                    __global const float* restrict b, __global float* c, int m,
                                    int n, int k) {
  __local float tile_a[16][64], tile_b[16][64];
  const int x = get_local_id(0), y = get_local_id(1), thread = y * 16 + x;
  const int column = get_group_id(0) * 64, row = get_group_id(1) * 64;
  float sum[4][4];
#pragma unroll
  for (int p = 0; p < 4; ++p) {
#pragma unroll
    for (int q = 0; q < 4; ++q) sum[p][q] = 0;
  }
  for (int t = 0; t < k; t += 16) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int at = thread + part * 256;
      tile_a[at % 16][at / 16] = a[(row + at / 16) * k + t + at % 16];
      tile_b[at / 64][at % 64] = b[(t + at / 64) * n + column + at % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float left[4], right[4];
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        left[p] = tile_a[i][y + 16 * p];
        right[p] = tile_b[i][x + 16 * p];
      }
#pragma unroll
      for (int p = 0; p < 4; ++p) {
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[p][q] += left[p] * right[q];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int p = 0; p < 4; ++p) {
#pragma unroll
    for (int q = 0; q < 4; ++q) c[(row + y + 16 * p) * n + column + x + 16 * q] = sum[p][q];
  }
}
