// C = alpha A B + beta C in fp32, tiled for shared memory and registers, with the parameters of CLBlast's kernel: a sweep sets the
// tile (MWG x NWG x KWG), the block (MDIMC x NDIMC) and its shape while it copies (MDIMA, NDIMB), the width of a vector (VWM, VWN),
// whether a thread's vectors lie apart (STRM, STRN), and whether A and B go through shared memory (SA, SB).
// A is [k][m], B is [k][n], C is [n][m].
#ifndef MWG
#define MWG 64
#define NWG 64
#define KWG 16
#define MDIMC 8
#define NDIMC 8
#define MDIMA 8
#define NDIMB 8
#define KWI 2
#define VWM 4
#define VWN 4
#define STRM 0
#define STRN 0
#define SA 1
#define SB 1
#endif

/// Eight floats are no type of CUDA's: they go one by one.
template <int kWidth>
struct alignas(kWidth <= 4 ? 4 * kWidth : 4) Pack {
  float at[kWidth];
};
using PackM = Pack<VWM>;
using PackN = Pack<VWN>;

constexpr int kThreads = MDIMC * NDIMC;
constexpr int kPacksM = MWG / MDIMC / VWM, kPacksN = NWG / NDIMC / VWN;

/// One side of the product: how a block copies a slice of KWG rows into shared memory, and where a thread's packs are.
template <class P, int kWidth, int kTile, int kCopiers, int kOwners, bool kApart>
struct Side {
  static constexpr int kRow = kTile / kWidth;  // packs
  static constexpr int kEach = kTile / kCopiers / kWidth, kRows = KWG / (kThreads / kCopiers);

  static __device__ __forceinline__ void copy(P* slice, const P* __restrict__ from, int pitch, int thread) {
    const int x = thread % kCopiers, y = thread / kCopiers;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kRows; ++j) {
        const int column = kApart ? x + i * kCopiers : i + x * kEach, row = j + y * kRows;
        slice[row * kRow + column] = from[row * pitch + column];
      }
    }
  }
  /// A thread's pack number i.
  static __device__ __forceinline__ int place(int owner, int i) { return kApart ? owner + i * kOwners : i + owner * (kRow / kOwners); }
};
using SideM = Side<PackM, VWM, MWG, MDIMA, MDIMC, STRM>;
using SideN = Side<PackN, VWN, NWG, NDIMB, NDIMC, STRN>;

__device__ __forceinline__ void multiply(float (&sum)[NWG / NDIMC][MWG / MDIMC], const PackM (&a)[kPacksM], const PackN (&b)[kPacksN]) {
#pragma unroll
  for (int n = 0; n < NWG / NDIMC; ++n) {
#pragma unroll
    for (int m = 0; m < MWG / MDIMC; ++m) sum[n][m] += a[m / VWM].at[m % VWM] * b[n / VWN].at[n % VWN];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_tuned(const PackM* __restrict__ a, const PackN* __restrict__ b, PackM* c, int size_m, int size_n, int size_k, float alpha, float beta) {
#if SA
  __shared__ PackM slice_a[KWG * MWG / VWM];
#endif
#if SB
  __shared__ PackN slice_b[KWG * NWG / VWN];
#endif
  const int thread = threadIdx.x + MDIMC * threadIdx.y, pitch_a = size_m / VWM, pitch_b = size_n / VWN;
  const int first_m = blockIdx.x * (MWG / VWM), first_n = blockIdx.y * (NWG / VWN);
  float sum[NWG / NDIMC][MWG / MDIMC] = {};
  for (int k = 0; k < size_k; k += KWG) {
#if SA
    SideM::copy(slice_a, a + k * pitch_a + first_m, pitch_a, thread);
#endif
#if SB
    SideN::copy(slice_b, b + k * pitch_b + first_n, pitch_b, thread);
#endif
#if SA || SB
    __syncthreads();
#endif
    for (int outer = 0; outer < KWG; outer += KWI) {
#pragma unroll
      for (int inner = 0; inner < KWI; ++inner) {
        const int row = outer + inner;
        PackM left[kPacksM];
        PackN right[kPacksN];
#pragma unroll
        for (int i = 0; i < kPacksM; ++i) {
          const int at = SideM::place(threadIdx.x, i);
#if SA
          left[i] = slice_a[row * SideM::kRow + at];
#else
          left[i] = a[(k + row) * pitch_a + first_m + at];
#endif
        }
#pragma unroll
        for (int i = 0; i < kPacksN; ++i) {
          const int at = SideN::place(threadIdx.y, i);
#if SB
          right[i] = slice_b[row * SideN::kRow + at];
#else
          right[i] = b[(k + row) * pitch_b + first_n + at];
#endif
        }
        multiply(sum, left, right);
      }
    }
#if SA || SB
    __syncthreads();
#endif
  }
#pragma unroll
  for (int n = 0; n < NWG / NDIMC; ++n) {
    const int column = (first_n + SideN::place(threadIdx.y, n / VWN)) * VWN + n % VWN;
#pragma unroll
    for (int i = 0; i < kPacksM; ++i) {
      PackM& to = c[column * pitch_a + first_m + SideM::place(threadIdx.x, i)];
      PackM value = to;
#pragma unroll
      for (int w = 0; w < VWM; ++w) value.at[w] = alpha * sum[n][i * VWM + w] + beta * value.at[w];
      to = value;
    }
  }
}
