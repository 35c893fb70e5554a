// Attention for sm_90a with wgmma and tensor copies: O = softmax(scale Q K^T) V, Q, K, V of
// [heads * sequence][64] halves, row-major. A warpgroup keeps 64 rows of Q in shared memory and of S,
// P and O in registers; K and V come in tiles of 64 keys, two in flight. The accumulator of S is the
// A operand of P V without a move (warpledger layout convert). V is read as an N-major B. What it moves:
// tiles/attention_sm90.tile; what it keeps where: examples/plans/attention-sm90.plan.
#include <cuda_fp16.h>

#include <cstdint>

constexpr int kRows = 64, kKeys = 64, kHead = 64, kStages = 2;
constexpr uint32_t kTileBytes = kKeys * kHead * sizeof(half);

struct alignas(64) TensorMap {
  char bytes[128];
};

struct alignas(1024) Shared {
  half q[kRows * kHead];
  half k[kStages][kKeys * kHead];
  half v[kStages][kKeys * kHead];
  unsigned long long full[kStages], query;
};

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// 128-byte swizzle, 1024 bytes from 8 rows to the next.
__device__ uint64_t descriptor(uint32_t address) {
  return uint64_t{(address & 0x3ffff) >> 4} | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 |
         uint64_t{1} << 62;
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

#define EIGHT(d, i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define RESULTS(d) EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24)
#define NAMES                                                                                  \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"

// S (+)= Q K^T, both K-major in shared memory.
__device__ void multiply_shared(float (&d)[32], uint64_t a, uint64_t b, int adds) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES
               ", %32, %33, p, 1, 1, 0, 0;\n}"
               : RESULTS(d)
               : "l"(a), "l"(b), "r"(adds));
}
// O += P V, P in registers, V N-major.
__device__ void multiply_registers(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES
               ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
               : RESULTS(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

__device__ uint32_t packed(float low, float high) {
  const half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_sm90(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                   const __grid_constant__ TensorMap v, half* out, int sequence, float scale) {
  extern __shared__ char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int head = blockIdx.y * sequence, row = head + blockIdx.x * kRows;
  const int tiles = sequence / kKeys;
  const bool leads = threadIdx.x == 0;
  const auto load = [&](int tile) {
    const int stage = tile % kStages;
    const uint32_t full = shared_address(&shared.full[stage]);
    expect(full, 2 * kTileBytes);
    copy_tile(shared_address(shared.k[stage]), k, head + tile * kKeys, full);
    copy_tile(shared_address(shared.v[stage]), v, head + tile * kKeys, full);
  };
  const uint32_t query = shared_address(&shared.query);
  if (leads) {
    for (auto& full : shared.full)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full)));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(query));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    expect(query, kTileBytes);
    copy_tile(shared_address(shared.q), q, row, query);
    for (int tile = 0; tile < kStages && tile < tiles; ++tile) load(tile);
  }
  __syncthreads();
  wait(query, 0);

  float o[32] = {}, top[2] = {-INFINITY, -INFINITY}, total[2] = {};
  const uint64_t q_at = descriptor(shared_address(shared.q));
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    wait(shared_address(&shared.full[stage]), tile / kStages & 1);
    float s[32];
    for (float& x : s) x = 0;
    const uint64_t k_at = descriptor(shared_address(shared.k[stage]));
    begin_products();
#pragma unroll
    for (int i = 0; i < kHead / 16; ++i) multiply_shared(s, q_at + 2 * i, k_at + 2 * i, i);
    end_products();
    float shrink[2];
#pragma unroll
    for (int half_row = 0; half_row < 2; ++half_row) {
      float most = -INFINITY;
#pragma unroll
      for (int i = 0; i < 32; ++i)
        if ((i >> 1 & 1) == half_row) most = fmaxf(most, s[i]);
      most = fmaxf(top[half_row], row_max(most) * scale);
      shrink[half_row] = exp2f(top[half_row] - most);
      top[half_row] = most;
      float sum = 0;
#pragma unroll
      for (int i = 0; i < 32; ++i)
        if ((i >> 1 & 1) == half_row) sum += s[i] = exp2f(s[i] * scale - most);
      total[half_row] = total[half_row] * shrink[half_row] + row_sum(sum);
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) o[i] *= shrink[i >> 1 & 1];
    const uint64_t v_at = descriptor(shared_address(shared.v[stage]));
    uint32_t p[kKeys / 16][4];
#pragma unroll
    for (int i = 0; i < kKeys / 16; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) p[i][r] = packed(s[8 * i + 2 * r], s[8 * i + 2 * r + 1]);
    }
    begin_products();
#pragma unroll
    for (int i = 0; i < kKeys / 16; ++i) multiply_registers(o, p[i], v_at + i * (2048 >> 4));
    end_products();
    __syncthreads();
    if (leads && tile + kStages < tiles) load(tile + kStages);
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    const int r = row + 16 * warp + lane / 4 + 8 * (i >> 1 & 1);
    const int c = 8 * (i >> 2) + 2 * (lane % 4);
    const float scaled = 1 / total[i >> 1 & 1];
    *reinterpret_cast<half2*>(out + r * kHead + c) =
        __floats2half2_rn(o[i] * scaled, o[i + 1] * scaled);
  }
}
