// Reductions of a 16 x 16 wmma accumulator in registers, as `warpledger layout reduce` writes them:
//   warpledger layout reduce wmma.m16n16k16.C.f32 --arch sm_80 --over col --op max --emit cuda
// and the same for sum, and for sm_70, whose accumulator lies otherwise (shuffles by 2 and 8).
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
// max of each row of wmma.m16n16k16.C.f32: 6 operations in the thread, 4 shuffles, no shared
// memory, no barrier. y[0] is row lane/4 y[1] is row lane/4 + 8
__device__ __forceinline__ void row_max(const float (&x)[8], float (&y)[2]) {
  const float v8 = fmaxf(x[0], x[1]);
  const float v9 = fmaxf(x[2], x[3]);
  const float v10 = fmaxf(x[4], x[5]);
  const float v11 = fmaxf(x[6], x[7]);
  const float v12 = fmaxf(v8, v10);
  const float v13 = fmaxf(v9, v11);
  const float v14 = __shfl_xor_sync(0xffffffffu, v12, 1);
  const float v15 = fmaxf(v12, v14);
  const float v16 = __shfl_xor_sync(0xffffffffu, v13, 1);
  const float v17 = fmaxf(v13, v16);
  const float v18 = __shfl_xor_sync(0xffffffffu, v15, 2);
  const float v19 = fmaxf(v15, v18);
  const float v20 = __shfl_xor_sync(0xffffffffu, v17, 2);
  const float v21 = fmaxf(v17, v20);
  y[0] = v19;
  y[1] = v21;
}

// sum of each row of wmma.m16n16k16.C.f32: 6 operations in the thread, 4 shuffles, no shared
// memory, no barrier. y[0] is row lane/4 y[1] is row lane/4 + 8
__device__ __forceinline__ void row_sum(const float (&x)[8], float (&y)[2]) {
  const float v8 = x[0] + x[1];
  const float v9 = x[2] + x[3];
  const float v10 = x[4] + x[5];
  const float v11 = x[6] + x[7];
  const float v12 = v8 + v10;
  const float v13 = v9 + v11;
  const float v14 = __shfl_xor_sync(0xffffffffu, v12, 1);
  const float v15 = v12 + v14;
  const float v16 = __shfl_xor_sync(0xffffffffu, v13, 1);
  const float v17 = v13 + v16;
  const float v18 = __shfl_xor_sync(0xffffffffu, v15, 2);
  const float v19 = v15 + v18;
  const float v20 = __shfl_xor_sync(0xffffffffu, v17, 2);
  const float v21 = v17 + v20;
  y[0] = v19;
  y[1] = v21;
}

// The row of y[j] in this lane, and which y an accumulator element belongs to.
__device__ __forceinline__ int reduced_row(int lane, int j) { return lane / 4 + 8 * j; }
__device__ __forceinline__ bool owns_row(int lane) { return lane % 4 == 0; }
__device__ __forceinline__ int row_of_element(int i) { return (i >> 1) & 1; }
#else
// max of each row of wmma.m16n16k16.C.f32: 6 operations in the thread, 4 shuffles, no shared
// memory, no barrier. y[0] is row lane%2 + 8*((lane>>2)&1) + 4*(lane/16) y[1] is row lane%2 +
// 8*((lane>>2)&1) + 4*(lane/16) + 2
__device__ __forceinline__ void row_max(const float (&x)[8], float (&y)[2]) {
  const float v8 = fmaxf(x[0], x[1]);
  const float v9 = fmaxf(x[2], x[3]);
  const float v10 = fmaxf(x[4], x[5]);
  const float v11 = fmaxf(x[6], x[7]);
  const float v12 = fmaxf(v8, v10);
  const float v13 = fmaxf(v9, v11);
  const float v14 = __shfl_xor_sync(0xffffffffu, v12, 2);
  const float v15 = fmaxf(v12, v14);
  const float v16 = __shfl_xor_sync(0xffffffffu, v13, 2);
  const float v17 = fmaxf(v13, v16);
  const float v18 = __shfl_xor_sync(0xffffffffu, v15, 8);
  const float v19 = fmaxf(v15, v18);
  const float v20 = __shfl_xor_sync(0xffffffffu, v17, 8);
  const float v21 = fmaxf(v17, v20);
  y[0] = v19;
  y[1] = v21;
}

// sum of each row of wmma.m16n16k16.C.f32: 6 operations in the thread, 4 shuffles, no shared
// memory, no barrier. y[0] is row lane%2 + 8*((lane>>2)&1) + 4*(lane/16) y[1] is row lane%2 +
// 8*((lane>>2)&1) + 4*(lane/16) + 2
__device__ __forceinline__ void row_sum(const float (&x)[8], float (&y)[2]) {
  const float v8 = x[0] + x[1];
  const float v9 = x[2] + x[3];
  const float v10 = x[4] + x[5];
  const float v11 = x[6] + x[7];
  const float v12 = v8 + v10;
  const float v13 = v9 + v11;
  const float v14 = __shfl_xor_sync(0xffffffffu, v12, 2);
  const float v15 = v12 + v14;
  const float v16 = __shfl_xor_sync(0xffffffffu, v13, 2);
  const float v17 = v13 + v16;
  const float v18 = __shfl_xor_sync(0xffffffffu, v15, 8);
  const float v19 = v15 + v18;
  const float v20 = __shfl_xor_sync(0xffffffffu, v17, 8);
  const float v21 = v17 + v20;
  y[0] = v19;
  y[1] = v21;
}

__device__ __forceinline__ int reduced_row(int lane, int j) {
  return (lane & 1) + 2 * j + 4 * (lane >> 4) + 8 * ((lane >> 2) & 1);
}
__device__ __forceinline__ bool owns_row(int lane) { return (lane & 10) == 0; }
__device__ __forceinline__ int row_of_element(int i) { return (i >> 1) & 1; }
#endif
