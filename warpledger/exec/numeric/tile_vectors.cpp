#include "warpledger/exec/numeric/tile_vectors.h"

#include "warpledger/base/check.h"
#include "warpledger/exec/numeric/tile_rows.h"

#if defined(__x86_64__)

#include <array>
#include <type_traits>

#include "warpledger/exec/numeric/avx512.h"

namespace warpledger::numeric {
namespace {

struct Scales {
  __m512i up, down;      // what an exponent is taken from, and what is taken from it
  __m512 least_c_power;  // TensorTile's
};

WL_AVX512 WL_INLINE Scales scales_of(const TensorTile& tile, const TensorCore& core) {
  return {_mm512_set1_epi32((254 + core.fraction_bits) << 23),
          _mm512_set1_epi32(core.fraction_bits << 23), _mm512_set1_ps(tile.least_c_power)};
}

// 2^exponent of an operand; 0 of 0.
WL_AVX512 WL_INLINE __m512 power_of(__m512 x, __m512 least) {
  const __m512i magnitude = _mm512_and_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
  const __m512i power = _mm512_and_epi32(magnitude, _mm512_set1_epi32(0x7f800000));
  return _mm512_maskz_max_ps(_mm512_test_epi32_mask(magnitude, magnitude),
                             _mm512_castsi512_ps(power), least);
}

/// 2^exponent of the operands, where these stand: of one row and one column each, so that a power
/// is found once for all products that it is a factor of.
struct alignas(64) Powers {
  float a[4][TensorTile::kMostK / 4][16];
  float b[TensorTile::kMostK][2][4];
};

WL_AVX512 WL_INLINE void fill(Powers& powers, const TensorTile& tile) {
  const __m512 least = _mm512_set1_ps(tile.least_power);
  for (int quad = 0; quad < tile.k / 4; ++quad) {
    for (int group = 0; group < 4; ++group) {
      _mm512_store_ps(powers.a[group][quad], power_of(_mm512_load_ps(tile.a[group][quad]), least));
    }
  }
  for (int k = 0; k < tile.k; k += 2)
    _mm512_store_ps(powers.b[k][0], power_of(_mm512_load_ps(tile.b[k][0]), least));
}

// Two sums of at most 2^31, added and cut to 24 bits.
WL_AVX512 WL_INLINE __m512 cut_sum(__m512i x, __m512i y) {
  const __m512d low = _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(x)),
                                    _mm512_cvtepi32_pd(_mm512_castsi512_si256(y)));
  const __m512d high = _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(x, 1)),
                                     _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(y, 1)));
  constexpr int kCut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvt_roundpd_ps(low, kCut)),
                            _mm512_cvt_roundpd_ps(high, kCut), 1);
}

// Row k % 4 of each 128 bits, to all four of them.
template <int K>
WL_AVX512 WL_INLINE __m512 spread(__m512 quad) {
  return _mm512_permute_ps(quad, K * 0b01010101);
}

template <int Block, int I = 0>
WL_AVX512 WL_INLINE void spread_block(const float (*a)[16], __m512* factor) {
  if constexpr (I < Block) {
    factor[I] = spread<I % 4>(_mm512_load_ps(a[I / 4]));
    spread_block<Block, I + 1>(a, factor);
  }
}

/// The factors of a block: a row group's, spread over its columns, and their powers.
template <int Block>
struct Rows {
  __m512 a[Block], power[Block];
};

template <int Block>
WL_AVX512 WL_INLINE __m512 sum_block(const Rows<Block>& rows, const float (*b)[2][4],
                                     const float (*powers)[2][4], int parity, __m512 c,
                                     const Scales& scales) {
  __m512 product[Block];
  __m512 most = _mm512_max_ps(power_of(c, scales.least_c_power), _mm512_set1_ps(kTileLeast));
#pragma GCC unroll 16
  for (int i = 0; i < Block; ++i) {
    product[i] = _mm512_mul_ps(rows.a[i], _mm512_broadcast_f32x4(_mm_load_ps(b[i][parity])));
    most = _mm512_max_ps(
        most, _mm512_mul_ps(rows.power[i], _mm512_broadcast_f32x4(_mm_load_ps(powers[i][parity]))));
  }
  const __m512i top = _mm512_castps_si512(most);
  const __m512 scale = _mm512_castsi512_ps(_mm512_sub_epi32(scales.up, top));
  const __m512 back = _mm512_castsi512_ps(_mm512_sub_epi32(top, scales.down));
  // Sixteen products of 27 bits do not fit into one lane.
  __m512i sum[2] = {_mm512_cvttps_epi32(_mm512_mul_ps(c, scale)), _mm512_setzero_si512()};
#pragma GCC unroll 16
  for (int i = 0; i < Block; ++i) {
    __m512i& part = sum[i / 8];
    part = _mm512_add_epi32(part, _mm512_cvttps_epi32(_mm512_mul_ps(product[i], scale)));
  }
  if constexpr (Block > 8) return _mm512_mul_ps(cut_sum(sum[0], sum[1]), back);
  return _mm512_mul_ps(_mm512_cvt_roundepi32_ps(sum[0], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC),
                       back);
}

/// The sums of one row group, both parities.
template <int Block>
WL_AVX512 WL_INLINE void sum_group(const TensorTile& tile, const Powers& powers, int group,
                                   const Scales& scales, __m512 (&c)[2]) {
  for (int k = 0; k < tile.k; k += Block) {
    Rows<Block> rows;
    spread_block<Block>(&tile.a[group][k / 4], rows.a);
    spread_block<Block>(&powers.a[group][k / 4], rows.power);
#pragma GCC unroll 2
    for (int parity = 0; parity < 2; ++parity)
      c[parity] = sum_block<Block>(rows, &tile.b[k], &powers.b[k], parity, c[parity], scales);
  }
}

template <int Block>
WL_AVX512 void multiply_blocks(TensorTile& tile, const TensorCore& core) {
  const Scales scales = scales_of(tile, core);
  Powers powers;
  fill(powers, tile);
  for (int group = 0; group < 4; ++group) {
    __m512 c[2] = {_mm512_load_ps(tile.c[group][0]), _mm512_load_ps(tile.c[group][1])};
    sum_group<Block>(tile, powers, group, scales, c);
    _mm512_store_ps(tile.c[group][0], c[0]);
    _mm512_store_ps(tile.c[group][1], c[1]);
  }
}

/// The smallest magnitude that is not zero (less one), and the largest, of 16-bit values.
struct Extremes {
  __m512i least, most;
};
WL_AVX512 WL_INLINE void clear(Extremes& seen) {
  seen.least = _mm512_set1_epi16(-1);
  seen.most = _mm512_setzero_si512();
}

WL_AVX512 WL_INLINE void note(Extremes& seen, __m512i words) {
  const __m512i magnitude = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
  seen.most = _mm512_max_epu16(seen.most, magnitude);
  seen.least = _mm512_min_epu16(seen.least, _mm512_sub_epi16(magnitude, _mm512_set1_epi16(1)));
}

WL_AVX512 WL_INLINE __m512 to_float(__m256i halves, bool bf16) {
  return bf16 ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))
              : _mm512_cvtph_ps(halves);
}

WL_AVX512 WL_INLINE void store_both(float* low, float* high, __m512i words, bool bf16) {
  _mm512_store_ps(low, to_float(_mm512_castsi512_si256(words), bf16));
  _mm512_store_ps(high, to_float(_mm512_extracti64x4_epi64(words, 1), bf16));
}

// A register of A: 8 rows of 8 elements, a row in 4 lanes. Its 64-bit words are quads of k.
WL_AVX512 WL_INLINE void unpack_a(TensorTile& tile, const uint32_t* a, int registers, bool bf16,
                                  Extremes& seen) {
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  for (int r = 0; r < registers; ++r) {
    const __m512i low = _mm512_loadu_si512(a + 32 * r), high = _mm512_loadu_si512(a + 32 * r + 16);
    note(seen, low);
    note(seen, high);
    const int group = r % 2 * 2, quad = r / 2 * 2;
    store_both(tile.a[group][quad], tile.a[group + 1][quad],
               _mm512_permutex2var_epi64(low, even, high), bf16);
    store_both(tile.a[group][quad + 1], tile.a[group + 1][quad + 1],
               _mm512_permutex2var_epi64(low, odd, high), bf16);
  }
}

// Where in a register of B (column c, k at 8 c + k) the elements of [k][parity][c / 2] are.
struct Order {
  alignas(64) std::array<uint16_t, 64> from = {};
  constexpr Order() {
    for (size_t to = 0; to < 64; ++to) {
      const size_t k = to / 8, parity = to % 8 / 4, half = to % 4;
      from[to] = static_cast<uint16_t>(8 * (2 * half + parity) + k);
    }
  }
};
constexpr Order kOrder;

WL_AVX512 WL_INLINE void unpack_b(TensorTile& tile, const uint32_t* b, int registers, bool bf16,
                                  Extremes& seen) {
  for (int r = 0; r < registers; ++r) {
    const __m512i low = _mm512_loadu_si512(b + 32 * r), high = _mm512_loadu_si512(b + 32 * r + 16);
    note(seen, low);
    note(seen, high);
    for (int half = 0; half < 2; ++half) {
      const __m512i order = _mm512_load_si512(kOrder.from.data() + 32 * half);
      const int k = 8 * r + 4 * half;
      store_both(tile.b[k][0], tile.b[k + 2][0], _mm512_permutex2var_epi16(low, order, high), bf16);
    }
  }
}

WL_AVX512 WL_INLINE bool takes(const Extremes& a, const Extremes& b, bool bf16) {
  const auto most = [](const Extremes& seen) WL_AVX512 {
    const __m512i m = seen.most;
    return static_cast<int>(_mm512_reduce_max_epu32(_mm512_max_epu32(
        _mm512_and_si512(m, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(m, 16))));
  };
  if (!bf16) {
    const __m512i both = _mm512_max_epu16(a.most, b.most);
    return _mm512_cmpge_epu16_mask(both, _mm512_set1_epi16(0x7c00)) == 0;
  }
  const auto least = [](const Extremes& seen) WL_AVX512 {
    const __m512i m = seen.least;
    return static_cast<int>(_mm512_reduce_min_epu32(_mm512_min_epu32(
        _mm512_and_si512(m, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(m, 16))));
  };
  // Exponents of bf16 are above bit 7; a magnitude less one of an exact power counts one less, to
  // be safe. All zeros: 0xffff.
  const int most_a = most(a) >> 7, most_b = most(b) >> 7;
  const int least_a = least(a) >> 7, least_b = least(b) >> 7;
  return most_a < 255 && most_b < 255 && most_a + most_b + 1 < 2 * 127 + 120 &&
         least_a + least_b >= 2 * 127 - 100 && least_a > 0 && least_b > 0;
}

// Bits of C that are zero, or of an exponent that the tile takes.
WL_AVX512 WL_INLINE bool takes(const uint32_t* c) {
  const __m512i least = _mm512_set1_epi32(27 << 24),
                most = _mm512_set1_epi32(static_cast<int>((247u - 27u) << 24));
  __mmask16 bad = 0;
  for (int i = 0; i < 8; ++i) {
    const __m512i bits = _mm512_loadu_si512(c + 16 * i);
    const __mmask16 some = _mm512_test_epi32_mask(bits, bits);
    bad |= _mm512_mask_cmpge_epu32_mask(some, _mm512_sub_epi32(_mm512_slli_epi32(bits, 1), least),
                                        most);
  }
  return bad == 0;
}

template <int Block>
WL_AVX512 void multiply_fragments(const TensorTile& tile, const Fragments& f,
                                  const TensorCore& core) {
  const Scales scales = scales_of(tile, core);
  Powers powers;
  fill(powers, tile);
  for (int group = 0; group < 4; ++group) {
    const int at = group / 2 * 64 + group % 2 * 16;  // lanes of the registers of both parities
    __m512 c[2] = {_mm512_loadu_ps(f.c + at), _mm512_loadu_ps(f.c + at + 32)};
    sum_group<Block>(tile, powers, group, scales, c);
    _mm512_storeu_ps(f.d + at, c[0]);
    _mm512_storeu_ps(f.d + at + 32, c[1]);
  }
}

template <class Run>
void by_block(int block, Run run) {
  switch (block) {
    case 4:
      return run(std::integral_constant<int, 4>{});
    case 8:
      return run(std::integral_constant<int, 8>{});
    case 16:
      return run(std::integral_constant<int, 16>{});
    default:
      WL_CHECK(false);
  }
}

}  // namespace

bool has_tile_vectors() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}

void multiply_vectors(TensorTile& tile, const TensorCore& core) {
  by_block(core.block, [&](auto block) { multiply_blocks<block()>(tile, core); });
}

WL_AVX512 bool multiply_halves(const Fragments& f, int k, bool bf16, const TensorCore& core) {
  if (!bf16 && k == 16 && core.block == 8) return multiply_rows(f, core);
  TensorTile tile;
  tile.k = k;
  tile.least_power = bf16 ? 0 : 0x1p-14f;
  Extremes a, b;
  clear(a);
  clear(b);
  if (bf16) {
    unpack_a(tile, f.a, k / 4, true, a);
    unpack_b(tile, f.b, k / 8, true, b);
  } else {
    unpack_a(tile, f.a, k / 4, false, a);
    unpack_b(tile, f.b, k / 8, false, b);
  }
  if (!takes(a, b, bf16) || !takes(f.c)) return false;
  by_block(core.block, [&](auto block) { multiply_fragments<block()>(tile, f, core); });
  return true;
}

}  // namespace warpledger::numeric

#else

namespace warpledger::numeric {

bool has_tile_vectors() { return false; }
void multiply_vectors(TensorTile&, const TensorCore&) { WL_CHECK(false); }
bool multiply_halves(const Fragments&, int, bool, const TensorCore&) { return false; }

}  // namespace warpledger::numeric

#endif
