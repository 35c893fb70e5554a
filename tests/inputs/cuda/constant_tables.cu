// Constant memory with initial values of many types, and addresses in initialisers.
__constant__ double weights[3] = {0.25, 1e300, -0.0};
__constant__ short steps[] = {1, -2, 3};
__constant__ unsigned char letters[] = "abc";
__device__ int counter = 7;
__device__ int* const where[] = {&counter, &counter + 1};
__device__ float grid[2][3] = {{1.5f, -2.5f}, {3.25f}};

extern "C" __global__ void constant_tables(double* out, int n) {
  out[threadIdx.x] =
      weights[n % 3] + steps[threadIdx.x % 3] + letters[n % 4] + *where[0] + grid[n % 2][n % 3];
}
