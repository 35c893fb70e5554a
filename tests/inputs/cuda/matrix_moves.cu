// ldmatrix, stmatrix, movmatrix.
extern "C" __global__ void matrix_moves(unsigned* out) {
  __shared__ alignas(16) unsigned tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x % 32 * 4));
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(at));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[2]));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"(r[0]),
               "r"(r[1])
               : "memory");
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(at));
#endif
  out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3] ^ tile[threadIdx.x];
}
