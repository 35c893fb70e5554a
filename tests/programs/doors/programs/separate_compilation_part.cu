// The other half of separate_compilation.cu; no program of its own.
__device__ float offset = 0;
__constant__ int factor = 1;
static __device__ int own = 4;

__device__ __noinline__ float shifted(float x) { return x + offset + own; }
