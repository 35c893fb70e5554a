// Tensor cores through nvcuda::wmma: half, bytes, and where the architecture has them bf16, tf32, f64.
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_half(const __half* a, const __half* b, float* c, int ld) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < ld; k += 16) {
    wmma::load_matrix_sync(fa, a + k, ld);
    wmma::load_matrix_sync(fb, b + k, ld);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bytes(const signed char* a, const signed char* b, int* c) {
  __shared__ __align__(32) signed char stage[256];
  for (int i = threadIdx.x; i < 256; i += 32) stage[i] = a[i];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, stage, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void wmma_wide(const float* a, const float* b, float* c, const double* x,
                                     const double* y, double* z) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fx;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fy;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fz;
  wmma::fill_fragment(fz, 0.0);
  wmma::load_matrix_sync(fx, x, 4);
  wmma::load_matrix_sync(fy, y, 4);
  wmma::mma_sync(fz, fx, fy, fz);
  wmma::store_matrix_sync(z, fz, 8, wmma::mem_row_major);
}
#endif
