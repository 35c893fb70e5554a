// Threads that wait for what others write, by looking again.
extern "C" {
__global__ void read_often(volatile int* data, int* out) {  // nobody waits: it only reads
  int sum = 0;
  for (int i = 0; i < 500; ++i) sum += data[(threadIdx.x + i) % 64];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void count_often(int* out) {  // the same through shared memory, which the warp writes
  __shared__ volatile int box[64];
  int t = threadIdx.x;
  box[t] = 1;
  int sum = 0;
  for (int i = 0; i < 500; ++i) {
    box[t] = 1;
    __syncwarp();
    sum += box[t ^ 1];
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
// A heap whose leaves hold numbers: a thread waits for both children of its node, which belong to
// other threads, warps and blocks.
__global__ void sum_heap(volatile int* node, int inner) {
  int inc = blockDim.x * gridDim.x;
  for (int k = inner - 1 - (blockIdx.x * blockDim.x + threadIdx.x); k >= 0;) {
    int left = node[2 * k + 1], right = node[2 * k + 2];
    if (left >= 0 && right >= 0) {
      node[k] = left + right;
      __threadfence();
      k -= inc;
    }
  }
}
// A search tree whose links are locked one by one while a key is put under them: -1 is free, -2
// locked.
__global__ void grow_tree(const int* key, volatile int* child, int n) {
  int inc = blockDim.x * gridDim.x, at = 0;
  for (int i = 1 + blockIdx.x * blockDim.x + threadIdx.x; i < n;) {
    int link = 2 * at + (key[i] > key[at]), next = child[link];
    if (next >= 0) {
      at = next;
    } else if (next == -1 && atomicCAS((int*)&child[link], -1, -2) == -1) {
      __threadfence();
      child[link] = i;
      i += inc;
      at = 0;
    }
  }
}
}
