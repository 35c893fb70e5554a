// Attention for sm_100a with tcgen05 and tensor copies: O = softmax(scale Q K^T) V, Q, K, V of
// [heads * sequence][64] halves, row-major. A block keeps 128 rows of Q in shared memory, S, P and P V of
// one tile of keys in tensor memory, one row a thread: row sums and maxima need no shuffle, and the
// sum over the tiles is in registers. K and V come in tiles of 64 keys, two in flight. P is an A
// operand in tensor memory, V an N-major B. What it moves: tiles/attention_sm100.tile; what it keeps
// where: examples/plans/attention-sm100.plan.
#include <cuda_fp16.h>

#include <cstdint>

constexpr int kRows = 128, kKeys = 64, kHead = 64, kStages = 2;
constexpr uint32_t kTileBytes = kKeys * kHead * sizeof(half), kQueryBytes = 2 * kTileBytes;
// Columns of tensor memory.
constexpr uint32_t kScores = 0, kWeights = 64, kResults = 96, kColumns = 256;

struct alignas(64) TensorMap {
  char bytes[128];
};

struct alignas(1024) Shared {
  half q[kRows * kHead];
  half k[kStages][kKeys * kHead];
  half v[kStages][kKeys * kHead];
  unsigned long long full[kStages], query, scored, done;
  uint32_t columns;
};

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
// 128-byte swizzle, 1024 bytes from 8 rows to the next.
__device__ uint64_t descriptor(uint32_t address) {
  return uint64_t{(address & 0x3ffff) >> 4} | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 |
         uint64_t{1} << 46 | uint64_t{2} << 61;
}
// f32 sums of f16 products, 128 x 64.
constexpr uint32_t kProduct = 1u << 4 | (64u >> 3) << 17 | (128u >> 4) << 24;
constexpr uint32_t kTurnedB = 1u << 16;

__device__ void make_barrier(const void* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
}
__device__ void expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ void copy_tile(uint32_t to, const TensorMap& map, int row, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(0), "r"(row), "r"(barrier)
      : "memory");
}

__device__ void multiply_shared(uint32_t d, uint64_t a, uint64_t b, uint32_t how, int adds) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d),
      "l"(a), "l"(b), "r"(how), "r"(adds)
      : "memory");
}
__device__ void multiply_tensor(uint32_t d, uint32_t a, uint64_t b, uint32_t how, int adds) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n}" ::"r"(d),
      "r"(a), "l"(b), "r"(how), "r"(adds)
      : "memory");
}
__device__ void commit(uint32_t barrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
      : "memory");
}

#define NAMES                                                                                  \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define EIGHT(how, x, i) \
  how(x[i]), how(x[i + 1]), how(x[i + 2]), how(x[i + 3]), how(x[i + 4]), how(x[i + 5]), \
      how(x[i + 6]), how(x[i + 7])
#define ALL(how, x) EIGHT(how, x, 0), EIGHT(how, x, 8), EIGHT(how, x, 16), EIGHT(how, x, 24)
#define OUT "=r"
#define IN "r"

/// 32 columns of the thread's row, and the wait for them.
__device__ void load_columns(uint32_t (&x)[32], uint32_t at) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 " NAMES
               ", [%32];\ntcgen05.wait::ld.sync.aligned;"
               : ALL(OUT, x)
               : "r"(at)
               : "memory");
}
__device__ void store_columns(const uint32_t (&x)[32], uint32_t at) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%32], " NAMES ";" ::ALL(IN, x), "r"(at)
               : "memory");
}
__device__ void end_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ void after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

__device__ uint32_t packed(float low, float high) {
  const half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_sm100(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                    const __grid_constant__ TensorMap v, half* out, int sequence, float scale) {
  extern __shared__ char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int head = blockIdx.y * sequence, row = head + blockIdx.x * kRows;
  const int tiles = sequence / kKeys;
  const int warp = threadIdx.x / 32;
  const bool leads = threadIdx.x == 0;
  const auto load = [&](int tile) {
    const int stage = tile % kStages;
    const uint32_t full = shared_address(&shared.full[stage]);
    expect(full, 2 * kTileBytes);
    copy_tile(shared_address(shared.k[stage]), k, head + tile * kKeys, full);
    copy_tile(shared_address(shared.v[stage]), v, head + tile * kKeys, full);
  };
  const uint32_t query = shared_address(&shared.query), scored = shared_address(&shared.scored),
                 done = shared_address(&shared.done);
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     shared_address(&shared.columns)),
                 "r"(kColumns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (leads) {
    for (auto& full : shared.full) make_barrier(&full);
    make_barrier(&shared.query);
    make_barrier(&shared.scored);
    make_barrier(&shared.done);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    expect(query, kQueryBytes);
    copy_tile(shared_address(shared.q), q, row, query);
    copy_tile(shared_address(shared.q) + kTileBytes, q, row + kKeys, query);
    for (int tile = 0; tile < kStages && tile < tiles; ++tile) load(tile);
  }
  __syncthreads();
  const uint32_t columns = shared.columns, lanes = columns + (static_cast<uint32_t>(warp) << 21);
  if (leads) wait(query, 0);

  float top = -INFINITY, total = 0, o[kHead] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    if (leads) {
      wait(shared_address(&shared.full[stage]), tile / kStages & 1);
      const uint64_t q_at = descriptor(shared_address(shared.q)),
                     k_at = descriptor(shared_address(shared.k[stage]));
      for (int i = 0; i < kHead / 16; ++i)
        multiply_shared(columns + kScores, q_at + 2 * i, k_at + 2 * i, kProduct, i);
      commit(scored);
    }
    __syncwarp();
    wait(scored, tile & 1);
    after_sync();
    uint32_t bits[2][32];
    load_columns(bits[0], lanes + kScores);
    load_columns(bits[1], lanes + kScores + 32);
    float most = top, sum = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i)
      most = fmaxf(most, __uint_as_float(bits[i / 32][i % 32]) * scale);
    const float shrink = exp2f(top - most);
    uint32_t weights[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const float a = exp2f(__uint_as_float(bits[i / 16][2 * i % 32]) * scale - most);
      const float b = exp2f(__uint_as_float(bits[i / 16][2 * i % 32 + 1]) * scale - most);
      weights[i] = packed(a, b);
      sum += a + b;
    }
    total = total * shrink + sum;
    top = most;
    store_columns(weights, lanes + kWeights);
    end_stores();
    __syncthreads();
    if (leads) {
      after_sync();
      const uint64_t v_at = descriptor(shared_address(shared.v[stage]));
      for (int i = 0; i < kKeys / 16; ++i)
        multiply_tensor(columns + kResults, columns + kWeights + 8 * i, v_at + i * (2048 >> 4),
                        kProduct | kTurnedB, i);
      commit(done);
    }
    __syncwarp();
    wait(done, tile & 1);
    if (leads && tile + kStages < tiles) load(tile + kStages);
    after_sync();
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      load_columns(bits[part], lanes + kResults + 32 * part);
#pragma unroll
      for (int i = 0; i < 32; ++i)
        o[32 * part + i] = o[32 * part + i] * shrink + __uint_as_float(bits[part][i]);
    }
  }
  half* to = out + (row + threadIdx.x) * kHead;
#pragma unroll
  for (int i = 0; i < kHead; i += 2)
    *reinterpret_cast<half2*>(to + i) = __floats2half2_rn(o[i] / total, o[i + 1] / total);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 0)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(columns),
                 "r"(kColumns));
}
