// Compiled once for each instruction set (foreach_target.h); the best that the host has is chosen
// at the first call. Vectors have 4, 8 or 16 floats; their blocks of 128 bits are a row each.

// Widths of SVE are not known to the compiler: such hosts use NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpledger/exec/numeric/tile_sums.cpp"
#include "warpledger/exec/numeric/tile_sums.h"

#include <hwy/foreach_target.h>  // includes this file again
#include <hwy/highway.h>

#include <bit>
#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/numeric/toward_zero.h"

HWY_BEFORE_NAMESPACE();
namespace warpledger::numeric::HWY_NAMESPACE {

void sum_tile(const TensorTile& tile, const TensorCore& core, const TileResults& results);

#if HWY_TARGET == HWY_SCALAR  // x86-64 without SSSE3: no vectors

void sum_tile(const TensorTile& tile, const TensorCore& core, const TileResults& results) {
  TensorTile copy = tile;
  for (int i = 0; i < 8; ++i)
    std::memcpy(copy.c[i / 2][i % 2], results.c[i / 2][i % 2], sizeof copy.c[0][0]);
  multiply_portable(copy, core);
  for (int i = 0; i < 8; ++i)
    std::memcpy(results.d[i / 2][i % 2], copy.c[i / 2][i % 2], sizeof copy.c[0][0]);
}

#else
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLanes = 16;
constexpr int kBias = 127, kFraction = 23;   // of an f32
constexpr uint8_t kLeastCode = kBias - 100;  // of kTileLeast

using Floats = hn::CappedTag<float, kLanes>;
using Words = hn::Rebind<int32_t, Floats>;
using Bytes = hn::Repartition<uint8_t, Floats>;
using Float = hn::Vec<Floats>;
using Word = hn::Vec<Words>;
constexpr int kWidth = static_cast<int>(hn::MaxLanes(Floats()));  // floats of a vector

HWY_INLINE Float load(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE Float load(const uint8_t* from) {
  return hn::BitCast(Floats(), hn::LoadU(Bytes(), from));
}
HWY_INLINE void store(Float value, uint8_t* to) {
  hn::StoreU(hn::BitCast(Bytes(), value), Bytes(), to);
}

// Toward zero. Highway's ConvertTo also mends what is too large, which nothing is here.
HWY_INLINE Word cut(Float x) {
#if HWY_TARGET == HWY_AVX3
  return Word{_mm512_cvttps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Word{_mm256_cvttps_epi32(x.raw)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return Word{_mm_cvttps_epi32(x.raw)};
#else
  return hn::ConvertTo(Words(), x);
#endif
}

// Both toward zero. AVX-512 says so in the instruction; elsewhere the processor's mode is set.
#if HWY_TARGET == HWY_AVX3
constexpr int kTowardZero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
struct Rounding {};
HWY_INLINE Float rounded(Word x) { return Float{_mm512_cvt_roundepi32_ps(x.raw, kTowardZero)}; }
HWY_INLINE Float rounded_sum(Float x, Float y) {
  return Float{_mm512_add_round_ps(x.raw, y.raw, kTowardZero)};
}
#else
using Rounding = TowardZero;
HWY_INLINE Float rounded(Word x) { return hn::ConvertTo(Floats(), x); }
HWY_INLINE Float rounded_sum(Float x, Float y) { return hn::Add(x, y); }
#endif

/// The largest exponent of each result's products in each block, as in an f32; at least that of
/// kTileLeast. [block][parity][4 row + column / 2]
struct alignas(64) Tops {
  uint8_t of[TensorTile::kMostK / 4][2][64];
};

// Byte 4 row + i of a block of bytes has k = j of that row.
alignas(16) constexpr int8_t kSpread[4][16] = {
    {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12},
    {1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13},
    {2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14},
    {3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15},
};

template <int kBlock>
HWY_INLINE void find_tops(const TensorTile& tile, Tops& tops) {
  const hn::Rebind<int8_t, Bytes> bytes;
  const Words words;
  const auto none = hn::Set(bytes, TensorTile::kNoExponent);
  const auto bias = hn::Set(bytes, static_cast<int8_t>(tile.most_a + tile.most_b - kBias));
  const auto least = hn::Set(bytes, static_cast<int8_t>(kLeastCode));
  for (int at = 0; at < 64; at += 4 * kWidth) {
    for (int block = 0; block * kBlock < tile.k; ++block) {
      auto even = none, odd = none;
#pragma GCC unroll 4
      for (int i = 0; i < kBlock / 4; ++i) {
        const int quad = block * (kBlock / 4) + i;
        const auto rows = hn::LoadU(bytes, &tile.a_exponent[quad][0][0] + at);
        const auto add = [&](int j) HWY_ATTR {
          const auto a = hn::TableLookupBytes(rows, hn::LoadDup128(bytes, kSpread[j]));
          int32_t b[2];
          for (int parity = 0; parity < 2; ++parity)
            std::memcpy(&b[parity], tile.b_exponent[parity][4 * quad + j], sizeof b[0]);
          const auto columns = [&](int32_t four)
                                   HWY_ATTR { return hn::BitCast(bytes, hn::Set(words, four)); };
          even = hn::Max(even, hn::SaturatedAdd(a, columns(b[0])));
          odd = hn::Max(odd, hn::SaturatedAdd(a, columns(b[1])));
        };
        add(0);
        add(1);
        add(2);
        add(3);
      }
      const auto code = [&](hn::Vec<decltype(bytes)> most) HWY_ATTR {
        return hn::BitCast(Bytes(), hn::IfThenElse(hn::Eq(most, none), least, hn::Add(most, bias)));
      };
      hn::StoreU(code(even), Bytes(), tops.of[block][0] + at);
      hn::StoreU(code(odd), Bytes(), tops.of[block][1] + at);
    }
  }
}

struct Scales {
  Word up, down;      // what an exponent is taken from, and what is taken from it
  Word least_c_code;  // of TensorTile::least_c_power
};

HWY_INLINE Scales scales_of(const TensorCore& core, float least_c_power) {
  const Words words;
  const auto bits = [&](uint32_t x) HWY_ATTR { return hn::Set(words, static_cast<int32_t>(x)); };
  const auto fraction = static_cast<uint32_t>(core.fraction_bits) << kFraction;
  return {bits((2u * kBias << kFraction) + fraction), bits(fraction),
          bits(std::bit_cast<uint32_t>(least_c_power))};
}

template <bool kHalf>
HWY_INLINE Word code_of(Float c, const Scales& scales) {
  const Words words;
  const Word code = hn::And(hn::BitCast(words, c), hn::Set(words, 0x7f800000));
  if constexpr (!kHalf) return code;
  return hn::IfThenElseZero(hn::Ne(code, hn::Zero(words)), hn::Max(code, scales.least_c_code));
}

// The last bit set where bits were cut.
template <bool kHalf>
HWY_INLINE Float odd_where(hn::Mask<Words> inexact, Float x) {
  if constexpr (!kHalf) return x;
  const Words words;
  const Word bits = hn::BitCast(words, x);
  return hn::BitCast(Floats(), hn::Or(bits, hn::IfThenElseZero(inexact, hn::Set(words, 1))));
}

/// One block of products of one row group and parity. Pre: a Rounding lives. a: of these rows,
/// spread over the columns; b: [k % 4][k / 4][column / 2], of the block from quad `first` on.
template <int kBlock, bool kHalf>
HWY_INLINE Float sum_block(const Float (&a)[kBlock], const float (&b)[4][TensorTile::kMostK / 4][4],
                           int first, const uint8_t* tops, Float c, const Scales& scales) {
  const Floats floats;
  const Words words;
  const auto codes = hn::PromoteTo(words, hn::LoadU(hn::Rebind<uint8_t, Floats>(), tops));
  const Word top = hn::Max(hn::ShiftLeft<kFraction>(codes), code_of<kHalf>(c, scales));
  const Float scale = hn::BitCast(floats, hn::Sub(scales.up, top));
  const Float back = hn::BitCast(floats, hn::Sub(top, scales.down));
  // Sixteen products of 27 bits do not fit into one lane.
  Word sum[2] = {cut(hn::Mul(c, scale)), hn::Zero(words)};
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) {
    const Float product = hn::Mul(a[i], hn::LoadDup128(floats, b[i % 4][first + i / 4]));
    Word& part = sum[kBlock > 8 ? i / 8 : i % 2];
    part = hn::Add(part, cut(hn::Mul(product, scale)));
  }
  const Word low = hn::Add(sum[0], sum[1]);
  if constexpr (kBlock <= 8) {
    const Float cut_sum = rounded(low);
    return hn::Mul(odd_where<kHalf>(hn::Ne(cut(cut_sum), low), cut_sum), back);
  }
  // 2^8 high + low, rounded once.
  const Word high = hn::Add(hn::ShiftRight<8>(sum[0]), hn::ShiftRight<8>(sum[1]));
  const Word rest = hn::Sub(low, hn::ShiftLeft<8>(high));
  const Float above = hn::Mul(rounded(high), hn::Set(floats, 256.0f));
  const Float below = rounded(rest), cut_sum = rounded_sum(above, below);
  const auto inexact = hn::Ne(hn::Sub(cut_sum, above), below);
  return hn::Mul(odd_where<kHalf>(hn::RebindMask(words, inexact), cut_sum), back);
}

template <int kBlock>
HWY_INLINE void spread(const float (&quads)[TensorTile::kMostK / 4][16], int first, int at,
                       Float (&a)[kBlock]) {
#pragma GCC unroll 4
  for (int quad = 0; quad < kBlock / 4; ++quad) {
    const Float rows = load(quads[first + quad] + at);
    a[4 * quad] = hn::Broadcast<0>(rows);
    a[4 * quad + 1] = hn::Broadcast<1>(rows);
    a[4 * quad + 2] = hn::Broadcast<2>(rows);
    a[4 * quad + 3] = hn::Broadcast<3>(rows);
  }
}

// Not inlined: the compiler must not move its arithmetic out of where a Rounding lives.
template <int kBlock, bool kHalf>
HWY_NOINLINE void sum_blocks(const TensorTile& tile, const TensorCore& core,
                             const TileResults& results) {
  const Scales scales = scales_of(core, tile.least_c_power);
  Tops tops;
  find_tops<kBlock>(tile, tops);
  // A block of all rows before the next one, whose exponents wait for these sums.
  for (int block = 0; block * kBlock < tile.k; ++block) {
    const int first = block * (kBlock / 4);
    for (int group = 0; group < 4; ++group) {
      for (int at = 0; at < kLanes; at += kWidth) {
        Float a[kBlock];
        spread<kBlock>(tile.a[group], first, at, a);
#pragma GCC unroll 2
        for (int parity = 0; parity < 2; ++parity) {
          uint8_t* const to = results.d[group][parity] + sizeof(float) * at;
          const uint8_t* const from =
              block == 0 ? results.c[group][parity] + sizeof(float) * at : to;
          const uint8_t* const of = tops.of[block][parity] + kLanes * group + at;
          store(sum_block<kBlock, kHalf>(a, tile.b[parity], first, of, load(from), scales), to);
        }
      }
    }
  }
}

template <bool kHalf>
void sum_any(const TensorTile& tile, const TensorCore& core, const TileResults& results) {
  [[maybe_unused]] const Rounding rounding;
  switch (core.block) {
    case 4:
      return sum_blocks<4, kHalf>(tile, core, results);
    case 8:
      return sum_blocks<8, kHalf>(tile, core, results);
    case 16:
      return sum_blocks<16, kHalf>(tile, core, results);
    default:
      WL_CHECK(false);
  }
}

}  // namespace

void sum_tile(const TensorTile& tile, const TensorCore& core, const TileResults& results) {
  tile.least_c_power > 0 ? sum_any<true>(tile, core, results) : sum_any<false>(tile, core, results);
}

#endif

}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(sum_tile);
}  // namespace

void multiply(TensorTile& tile, const TensorCore& core) {
  TileResults results;
  for (int group = 0; group < 4; ++group) {
    for (int parity = 0; parity < 2; ++parity) {
      results.d[group][parity] = reinterpret_cast<uint8_t*>(tile.c[group][parity]);
      results.c[group][parity] = results.d[group][parity];
    }
  }
  HWY_DYNAMIC_DISPATCH(sum_tile)(tile, core, results);
}

}  // namespace warpledger::numeric
#endif
