#include "warpledger/exec/numeric/tile_rows.h"

#if defined(__x86_64__)

#include <array>

#include "warpledger/exec/numeric/avx512.h"

namespace warpledger::numeric {
namespace {

constexpr int kDepth = 16, kBlock = 8, kRows = 16, kCols = 8;
constexpr int kLeastExponent = -100;  // of kTileLeast

struct alignas(64) Tile {
  float a[kDepth][kRows];
  float b[kDepth][kCols];
  float c[kCols][kRows];
  int8_t a_exponent[kDepth][kRows];
  int8_t b_exponent[kDepth][16];               // of 8 columns
  int8_t most[kDepth / kBlock][kCols][kRows];  // the largest of a block's products
};

// A fragment's register of 16-bit elements is an 8 x 8 matrix, its lines of 4 lanes each: element
// (line, k) stands at 8 line + k. Turned: at 8 k + line.
struct Turned {
  alignas(64) std::array<uint16_t, 64> from = {};
  constexpr Turned() {
    for (size_t to = 0; to < 64; ++to) from[to] = static_cast<uint16_t>(8 * (to % 8) + to / 8);
  }
};
constexpr Turned kTurned;

// A register of C: 8 rows of 4 columns, those of one parity. [column][row] from it, and back from
// two vectors of two columns each.
struct Columns {
  alignas(64) std::array<uint32_t, 32> from = {}, back = {};
  constexpr Columns() {
    for (size_t to = 0; to < 32; ++to) {
      from[to] = static_cast<uint32_t>(4 * (to % 8) + to / 8);
      back[to] = static_cast<uint32_t>(8 * (to % 4) + to / 4);
    }
  }
};
constexpr Columns kColumns;

// Of halves, as bytes: subnormals have the exponent of their code, zero one below all sums.
WL_AVX512 WL_INLINE __m256i exponents_of(__m512i halves) {
  const __m512i magnitude = _mm512_and_si512(halves, _mm512_set1_epi16(0x7fff));
  const __m512i code = _mm512_max_epu16(_mm512_srli_epi16(magnitude, 10), _mm512_set1_epi16(1));
  const __m512i exponent = _mm512_sub_epi16(code, _mm512_set1_epi16(15));
  const __mmask32 some = _mm512_test_epi16_mask(magnitude, magnitude);
  return _mm512_cvtepi16_epi8(_mm512_mask_mov_epi16(_mm512_set1_epi16(-128), some, exponent));
}

WL_AVX512 WL_INLINE bool has_special(__m512i halves) {
  const __m512i infinity = _mm512_set1_epi16(0x7c00);
  return _mm512_cmpeq_epu16_mask(_mm512_and_si512(halves, infinity), infinity) != 0;
}

WL_AVX512 WL_INLINE void store_floats(float* to, __m512i halves) {
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm512_castsi512_si256(halves)));
  _mm512_storeu_ps(to + 16, _mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1)));
}

// Registers 0 and 1 are rows 0-7 and 8-15 of k below 8, 2 and 3 of the rest.
WL_AVX512 WL_INLINE bool turn_a(Tile& tile, const uint32_t* a) {
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  bool special = false;
  for (int k = 0; k < kDepth; k += 4) {
    const uint32_t* upper = a + k / 8 * 64;
    const uint32_t* lower = upper + 32;
    const __m512i order = _mm512_load_si512(kTurned.from.data() + k % 8 * 8);
    const __m512i x =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(upper), order, _mm512_loadu_si512(upper + 16));
    const __m512i y =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(lower), order, _mm512_loadu_si512(lower + 16));
    const __m512i p = _mm512_permutex2var_epi64(x, first, y);
    const __m512i q = _mm512_permutex2var_epi64(x, second, y);
    special |= has_special(p) || has_special(q);
    store_floats(tile.a[k], p);
    store_floats(tile.a[k + 2], q);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile.a_exponent[k]), exponents_of(p));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile.a_exponent[k + 2]), exponents_of(q));
  }
  return !special;
}

WL_AVX512 WL_INLINE bool turn_b(Tile& tile, const uint32_t* b) {
  bool special = false;
  for (int k = 0; k < kDepth; k += 4) {
    const uint32_t* from = b + k / 8 * 32;
    const __m512i order = _mm512_load_si512(kTurned.from.data() + k % 8 * 8);
    const __m512i x =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(from), order, _mm512_loadu_si512(from + 16));
    special |= has_special(x);
    store_floats(tile.b[k], x);
    const __m256i exponents = exponents_of(x);
    const __m128i low = _mm256_castsi256_si128(exponents);
    const __m128i high = _mm256_extracti128_si256(exponents, 1);
    const auto put = [&](int i, __m128i eight) WL_AVX512 {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(tile.b_exponent[k + i]), eight);
    };
    put(0, low);
    put(1, _mm_srli_si128(low, 8));
    put(2, high);
    put(3, _mm_srli_si128(high, 8));
  }
  return !special;
}

// Zero, or of an exponent that a tile takes.
WL_AVX512 WL_INLINE bool takes(const uint32_t* c) {
  const __m512i least = _mm512_set1_epi32(27 << 24);
  const __m512i most = _mm512_set1_epi32(static_cast<int>((247u - 27u) << 24));
  __mmask16 bad = 0;
  for (int i = 0; i < 8; ++i) {
    const __m512i bits = _mm512_loadu_si512(c + 16 * i);
    const __m512i above = _mm512_sub_epi32(_mm512_slli_epi32(bits, 1), least);
    bad |= _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(bits, bits), above, most);
  }
  return bad == 0;
}

// Registers 0 and 1 are the even and odd columns of rows 0-7, 2 and 3 of rows 8-15.
WL_AVX512 WL_INLINE void turn_c(Tile& tile, const uint32_t* c) {
  for (int parity = 0; parity < 2; ++parity) {
    const uint32_t *upper = c + 32 * parity, *lower = upper + 64;
    for (int pair = 0; pair < 2; ++pair) {
      const __m512i order = _mm512_load_si512(kColumns.from.data() + 16 * pair);
      const __m512 x =
          _mm512_permutex2var_ps(_mm512_loadu_ps(upper), order, _mm512_loadu_ps(upper + 16));
      const __m512 y =
          _mm512_permutex2var_ps(_mm512_loadu_ps(lower), order, _mm512_loadu_ps(lower + 16));
      _mm512_store_ps(tile.c[4 * pair + parity], _mm512_shuffle_f32x4(x, y, 0x44));
      _mm512_store_ps(tile.c[4 * pair + 2 + parity], _mm512_shuffle_f32x4(x, y, 0xee));
    }
  }
}

WL_AVX512 WL_INLINE void turn_back(const Tile& tile, uint32_t* d) {
  const __m512i order[2] = {_mm512_load_si512(kColumns.back.data()),
                            _mm512_load_si512(kColumns.back.data() + 16)};
  for (int parity = 0; parity < 2; ++parity) {
    __m512 column[4];
    for (int i = 0; i < 4; ++i) column[i] = _mm512_load_ps(tile.c[2 * i + parity]);
    const auto put = [&](uint32_t* to, __m512 x, __m512 y) WL_AVX512 {
      _mm512_storeu_ps(to, _mm512_permutex2var_ps(x, order[0], y));
      _mm512_storeu_ps(to + 16, _mm512_permutex2var_ps(x, order[1], y));
    };
    put(d + 32 * parity, _mm512_shuffle_f32x4(column[0], column[1], 0x44),
        _mm512_shuffle_f32x4(column[2], column[3], 0x44));
    put(d + 32 * parity + 64, _mm512_shuffle_f32x4(column[0], column[1], 0xee),
        _mm512_shuffle_f32x4(column[2], column[3], 0xee));
  }
}

WL_AVX512 WL_INLINE __m512i spread(const int8_t* sixteen) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(sixteen)));
}

// Four columns at a time: a row's exponents in each 16 bytes, a column's repeated over them.
WL_AVX512 WL_INLINE void find_most(Tile& tile, int block) {
  const __m512i low =
      _mm512_setr_epi64(0, 0, 0x0101010101010101, 0x0101010101010101, 0x0202020202020202,
                        0x0202020202020202, 0x0303030303030303, 0x0303030303030303);
  const __m512i high = _mm512_or_si512(low, _mm512_set1_epi8(4));
  __m512i most[2] = {_mm512_set1_epi8(-128), _mm512_set1_epi8(-128)};
  for (int k = block * kBlock; k < (block + 1) * kBlock; ++k) {
    const __m512i a = spread(tile.a_exponent[k]), b = spread(tile.b_exponent[k]);
    most[0] = _mm512_max_epi8(most[0], _mm512_adds_epi8(a, _mm512_shuffle_epi8(b, low)));
    most[1] = _mm512_max_epi8(most[1], _mm512_adds_epi8(a, _mm512_shuffle_epi8(b, high)));
  }
  _mm512_store_si512(tile.most[block][0], most[0]);
  _mm512_store_si512(tile.most[block][4], most[1]);
}

// Where an f32 has its exponent.
WL_AVX512 WL_INLINE __m512i shifted(int exponent) {
  return _mm512_set1_epi32(exponent * (1 << 23));
}

/// c of one column plus a block of products: tensor_tile.h's sums.
WL_AVX512 WL_INLINE __m512 sum_column(const __m512 (&a)[kBlock], const float* b, __m512 c,
                                      const int8_t* most, int fraction_bits) {
  const __m512i sums = _mm512_cvtepi8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(most)));
  const __m512i code = _mm512_and_si512(_mm512_castps_si512(c), _mm512_set1_epi32(0x7f800000));
  __m512i top = _mm512_max_epi32(_mm512_slli_epi32(sums, 23), shifted(kLeastExponent));
  top = _mm512_max_epi32(top, _mm512_sub_epi32(code, shifted(127)));
  const __m512 scale = _mm512_castsi512_ps(_mm512_sub_epi32(shifted(127 + fraction_bits), top));
  const __m512 back = _mm512_castsi512_ps(_mm512_add_epi32(top, shifted(127 - fraction_bits)));
  __m512i sum[2] = {_mm512_cvttps_epi32(_mm512_mul_ps(c, scale)), _mm512_setzero_si512()};
#pragma GCC unroll 8
  for (int i = 0; i < kBlock; ++i) {
    const __m512 product = _mm512_mul_ps(a[i], _mm512_set1_ps(b[kCols * i]));
    sum[i % 2] = _mm512_add_epi32(sum[i % 2], _mm512_cvttps_epi32(_mm512_mul_ps(product, scale)));
  }
  const __m512 cut = _mm512_cvt_roundepi32_ps(_mm512_add_epi32(sum[0], sum[1]),
                                              _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return _mm512_mul_ps(cut, back);
}

WL_AVX512 void multiply(Tile& tile, int fraction_bits) {
  for (int block = 0; block < kDepth / kBlock; ++block) {
    find_most(tile, block);
    __m512 a[kBlock];
    for (int i = 0; i < kBlock; ++i) a[i] = _mm512_load_ps(tile.a[block * kBlock + i]);
    for (int col = 0; col < kCols; ++col) {
      const __m512 c = sum_column(a, &tile.b[block * kBlock][col], _mm512_load_ps(tile.c[col]),
                                  tile.most[block][col], fraction_bits);
      _mm512_store_ps(tile.c[col], c);
    }
  }
}

}  // namespace

WL_AVX512 bool multiply_rows(const Fragments& f, const TensorCore& core) {
  Tile tile;
  if (!turn_a(tile, f.a) || !turn_b(tile, f.b) || !takes(f.c)) return false;
  turn_c(tile, f.c);
  multiply(tile, core.fraction_bits);
  turn_back(tile, f.d);
  return true;
}

}  // namespace warpledger::numeric

#else

namespace warpledger::numeric {

bool multiply_rows(const Fragments&, const TensorCore&) { return false; }

}  // namespace warpledger::numeric

#endif
