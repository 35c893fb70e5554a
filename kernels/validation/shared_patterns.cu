// One block writes a 32 x 32 tile of shared memory by rows or columns and reads it back by rows or columns.

extern "C" __global__ void rows_then_rows(int* out) {
  __shared__ int tile[32][32];
  const int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = i;
  __syncthreads();
  out[i] = tile[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void columns_then_columns(int* out) {
  __shared__ int tile[32][32];
  const int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = i;
  __syncthreads();
  out[i] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void rows_then_columns_padded(int* out) {
  __shared__ int tile[32][32 + 1];
  const int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = i;
  __syncthreads();
  out[i] = tile[threadIdx.x][threadIdx.y];
}
