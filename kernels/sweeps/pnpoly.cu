// Point in polygon by crossings: 20 million points against VERTICES edges. A sweep sets the block, the points a thread (TILE_SIZE, a
// block apart), how an edge is found to span a point's height (BETWEEN_METHOD) and how a crossing is counted (USE_METHOD).
// The corners stay as the module has them, zero: the published instruction counts are of divisions that take the slow path.
#ifndef BLOCK_SIZE_X
#define VERTICES 600
#define BLOCK_SIZE_X 128
#define TILE_SIZE 4
#define BETWEEN_METHOD 0
#define USE_METHOD 2
#endif

__constant__ float2 corners[VERTICES];

/// Compares, compares the long way, or multiplies the distances; the two products differ in what is asked first.
__device__ __forceinline__ bool spans(float from, float to, float height) {
#if BETWEEN_METHOD == 0
  return (from > height) != (to > height);
#elif BETWEEN_METHOD == 1
  return (from <= height && to > height) || (from > height && to <= height);
#elif BETWEEN_METHOD == 2
  const float above = height - from;
  return above == 0.0f || above * (height - to) < 0.0f;
#else
  const float above = height - from;
  return above * (height - to) < 0.0f || above == 0.0f;
#endif
}

/// 0: a branch that flips; 1: an addition without a branch; 2: a branch that adds.
__device__ __forceinline__ void cross(int& count, float2 point, float2 a, float2 b, float slope) {
#if USE_METHOD == 1
  const int is_between = spans(a.y, b.y, point.y);
  count += is_between && point.x < a.x + slope * (point.y - a.y);
#else
  if (spans(a.y, b.y, point.y) && point.x < slope * (point.y - a.y) + a.x) {
    count = USE_METHOD == 0 ? !count : count + 1;
  }
#endif
}

extern "C" __global__ void pnpoly(int* inside, const float2* points, int n) {
  const int first = blockIdx.x * BLOCK_SIZE_X * TILE_SIZE + threadIdx.x;
  if (first >= n) return;
  int count[TILE_SIZE] = {};
  float2 mine[TILE_SIZE];
#pragma unroll
  for (int t = 0; t < TILE_SIZE; ++t) {
    if (first + t * BLOCK_SIZE_X < n) mine[t] = points[first + t * BLOCK_SIZE_X];
  }
  int before = VERTICES - 1;
  for (int corner = 0; corner < VERTICES; before = corner++) {
    const float2 a = corners[corner], b = corners[before];
    const float slope = (b.x - a.x) / (b.y - a.y);
#pragma unroll
    for (int t = 0; t < TILE_SIZE; ++t) cross(count[t], mine[t], a, b, slope);
  }
#pragma unroll
  for (int t = 0; t < TILE_SIZE; ++t) {
    if (first + t * BLOCK_SIZE_X < n) inside[first + t * BLOCK_SIZE_X] = USE_METHOD == 0 ? count[t] : count[t] & 1;
  }
}
