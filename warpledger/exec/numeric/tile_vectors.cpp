// Compiled once for each instruction set, like tile_sums.cpp.

// Widths of SVE are not known to the compiler: such hosts use NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpledger/exec/numeric/tile_vectors.cpp"
#include "warpledger/exec/numeric/tile_vectors.h"

#include <hwy/foreach_target.h>  // includes this file again
#include <hwy/highway.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "warpledger/exec/numeric/tile_sums.h"

HWY_BEFORE_NAMESPACE();
namespace warpledger::numeric::HWY_NAMESPACE {

// Of the same instruction set, in tile_sums.cpp.
void sum_tile(const TensorTile& tile, const TensorCore& core, const TileResults& results);

namespace {

#if HWY_TARGET == HWY_SCALAR  // x86-64 without SSSE3: no vectors

bool multiply_fragments(const Fragments&, int, bool, const TensorCore&) { return false; }

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kBias = 127, kFraction = 23;   // of an f32
constexpr uint8_t kLeastCode = kBias - 100;  // of kTileLeast

using Floats = hn::CappedTag<float, 16>;
using Halves = hn::Repartition<uint16_t, Floats>;
using Bytes = hn::Repartition<uint8_t, Floats>;
using Quads = hn::Repartition<uint64_t, Floats>;  // four halves each
using Half = hn::Vec<Halves>;
constexpr int kWidth = static_cast<int>(hn::MaxLanes(Floats()));  // floats of a vector

HWY_INLINE Half load_halves(const uint32_t* from) {
  return hn::BitCast(Halves(), hn::LoadU(hn::Rebind<uint32_t, Floats>(), from));
}

HWY_INLINE Half magnitudes_of(Half halves) {
  return hn::And(halves, hn::Set(Halves(), uint16_t{0x7fff}));
}

template <bool kBf16, class D>
HWY_INLINE hn::Vec<D> widened(D floats, hn::Vec<hn::Rebind<uint16_t, D> > halves) {
  using Narrow = std::conditional_t<kBf16, hwy::bfloat16_t, hwy::float16_t>;
  return hn::PromoteTo(floats, hn::BitCast(hn::Rebind<Narrow, D>(), halves));
}

/// Of bf16: the largest magnitude, and the smallest that is not zero, less one.
struct Extremes {
  uint32_t least, most;
};

HWY_INLINE Extremes extremes_of(const uint32_t* registers, int count) {
  const Halves d;
  Half most = hn::Zero(d), least = hn::Set(d, uint16_t{0xffff});
  for (int at = 0; at < count; at += kWidth) {
    const Half magnitudes = magnitudes_of(load_halves(registers + at));
    most = hn::Max(most, magnitudes);
    least = hn::Min(least, hn::Sub(magnitudes, hn::Set(d, uint16_t{1})));
  }
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most))};
}

// Sets the tile's largest exponents. A magnitude less one that was an exact power counts
// one less, to be safe; all zeros have 0xffff.
HWY_INLINE bool takes_bf16(TensorTile& tile, const Extremes& a, const Extremes& b) {
  const auto power = [](uint32_t code) { return std::bit_cast<float>(code << kFraction); };
  const auto least = [&](uint32_t word) { return power(word == 0xffff ? kBias : word >> 7); };
  const uint32_t most_a = a.most >> 7, most_b = b.most >> 7;
  tile.most_a = static_cast<int>(most_a), tile.most_b = static_cast<int>(most_b);
  return most_a < 255 && most_b < 255 &&
         tile_takes({least(a.least), power(most_a), least(b.least), power(most_b)});
}

// Bits of C that are zero, or of an exponent that the tile takes. The sign comes last, so that -0
// is the smallest of all but 0, which becomes the largest.
HWY_INLINE bool takes(const uint32_t* c) {
  const hn::Rebind<uint32_t, Floats> d;
  const auto one = hn::Set(d, 1u);
  auto least = hn::Set(d, ~0u), most = hn::Zero(d);
  for (int at = 0; at < 128; at += kWidth) {
    const auto bits = hn::RotateRight<31>(hn::LoadU(d, c + at));
    most = hn::Max(most, bits);
    least = hn::Min(least, hn::Sub(bits, one));
  }
  const auto low = hn::Set(d, (uint32_t{kLeastCode} << 24) - 2);
  const auto high = hn::Set(d, uint32_t{kBias + 120} << 24);
  return hn::AllTrue(d, hn::And(hn::Gt(least, low), hn::Lt(most, high)));
}

/// Exponents of halves less `most`, in the lower bytes. Subnormals have the exponent of their code.
/// `seen` becomes the largest magnitude.
template <bool kBf16>
HWY_INLINE Half exponents_of(Half halves, Half most, Half& seen) {
  const Halves d;
  const Half magnitudes = magnitudes_of(halves);
  seen = hn::Max(seen, magnitudes);
  Half code = hn::ShiftRight < kBf16 ? 7 : 10 > (magnitudes);
  if constexpr (!kBf16) code = hn::Max(code, hn::Set(d, uint16_t{1}));
  return hn::IfThenElse(hn::Eq(magnitudes, hn::Zero(d)), hn::Set(d, uint16_t{0x80}),
                        hn::Sub(code, most));
}

// The largest exponent as exponents_of() subtracts it: of f16, 30 is 2^15.
template <bool kBf16>
HWY_INLINE Half most_of(int most) {
  return hn::Set(Halves(), static_cast<uint16_t>(kBf16 ? most : most - kBias + 15));
}

// Registers 2 c and 2 c + 1: 16 rows of 8 elements, a row in 4 lanes. Its 64-bit words are quads.
template <bool kBf16>
HWY_INLINE void unpack_a(TensorTile& tile, const uint32_t* a, Half& seen) {
  const Half most = most_of<kBf16>(tile.most_a);
  const Quads quads;
  const hn::Half<Halves> half;
  for (int quad = 0; quad < tile.k / 4; quad += 2, a += 64) {
    for (int at = 0; at < 64; at += 4 * kWidth) {
      Half split[2][2];  // [quad][the first rows, and those after]
      for (int i = 0; i < 2; ++i) {
        const auto low = hn::BitCast(quads, load_halves(a + at + 2 * i * kWidth));
        const auto high = hn::BitCast(quads, load_halves(a + at + (2 * i + 1) * kWidth));
        split[0][i] = hn::BitCast(Halves(), hn::ConcatEven(quads, high, low));
        split[1][i] = hn::BitCast(Halves(), hn::ConcatOdd(quads, high, low));
      }
      for (int q = 0; q < 2; ++q) {
        for (int i = 0; i < 4; ++i) {
          const int row = (at + i * kWidth) / 4;
          const Half both = split[q][i / 2];
          const auto halves = i % 2 == 0 ? hn::LowerHalf(half, both) : hn::UpperHalf(half, both);
          hn::StoreU(widened<kBf16>(Floats(), halves), Floats(),
                     &tile.a[row / 4][quad + q][row % 4 * 4]);
        }
        const auto narrow = hn::ConcatEven(
            Bytes(), hn::BitCast(Bytes(), exponents_of<kBf16>(split[q][1], most, seen)),
            hn::BitCast(Bytes(), exponents_of<kBf16>(split[q][0], most, seen)));
        hn::StoreU(hn::BitCast(hn::Rebind<int8_t, Bytes>(), narrow), hn::Rebind<int8_t, Bytes>(),
                   &tile.a_exponent[quad + q][0][0] + at);
      }
    }
  }
}

// Four vectors to four others, in each block: out[j] has element j of each.
template <class V, class D>
HWY_INLINE void turn(D d, V (&x)[4]) {
  const V even = hn::InterleaveLower(d, x[0], x[2]), odd = hn::InterleaveLower(d, x[1], x[3]);
  const V even_up = hn::InterleaveUpper(d, x[0], x[2]), odd_up = hn::InterleaveUpper(d, x[1], x[3]);
  x[0] = hn::InterleaveLower(d, even, odd);
  x[1] = hn::InterleaveUpper(d, even, odd);
  x[2] = hn::InterleaveLower(d, even_up, odd_up);
  x[3] = hn::InterleaveUpper(d, even_up, odd_up);
}

// Register c of B: 8 columns of 8 elements, a column in 4 lanes.
template <bool kBf16, int kDepth>
HWY_INLINE void unpack_b(TensorTile& tile, const uint32_t* b) {
  const hn::CappedTag<float, kDepth> d;
  constexpr int kAcross = static_cast<int>(hn::MaxLanes(decltype(d)()));
  using D16 = hn::Rebind<uint16_t, decltype(d)>;
  const hn::Repartition<uint32_t, D16> pairs;
  for (int parity = 0; parity < 2; ++parity) {
    for (int first = 0; first < kDepth; first += kAcross) {
      hn::Vec<decltype(d)> columns[4];
      for (int i = 0; i < 4; ++i) {
        const uint32_t* from = b + first / 8 * 32 + 4 * (2 * i + parity) + first % 8 / 2;
        if constexpr (kAcross == 16) {
          const hn::Half<decltype(pairs)> eight;
          columns[i] =
              widened<kBf16>(d, hn::BitCast(D16(), hn::Combine(pairs, hn::LoadU(eight, from + 32),
                                                               hn::LoadU(eight, from))));
        } else {
          columns[i] = widened<kBf16>(d, hn::BitCast(D16(), hn::LoadU(pairs, from)));
        }
      }
      turn(d, columns);
      for (int j = 0; j < 4; ++j) hn::StoreU(columns[j], d, tile.b[parity][j][first / 4]);
    }
  }
}

template <bool kBf16>
HWY_INLINE void find_b_exponents(TensorTile& tile, const uint32_t* b, Half& seen) {
  const Half most = most_of<kBf16>(tile.most_b);
  const hn::CappedTag<uint8_t, 16> d;
  const hn::Half<decltype(d)> half;
  for (int k = 0; k < tile.k; k += 8, b += 32) {
    alignas(64) uint8_t columns[64];  // eight of eight
    for (int at = 0; at < 32; at += 2 * kWidth) {
      const Half low = exponents_of<kBf16>(load_halves(b + at), most, seen);
      const Half high = exponents_of<kBf16>(load_halves(b + at + kWidth), most, seen);
      hn::StoreU(hn::ConcatEven(Bytes(), hn::BitCast(Bytes(), high), hn::BitCast(Bytes(), low)),
                 Bytes(), columns + 2 * at);
    }
    for (int parity = 0; parity < 2; ++parity) {
      const auto column = [&](int i) HWY_ATTR {
        return hn::ZeroExtendVector(d, hn::LoadU(half, columns + 8 * (2 * i + parity)));
      };
      const auto even = hn::InterleaveLower(d, column(0), column(2));
      const auto odd = hn::InterleaveLower(d, column(1), column(3));
      auto* to = reinterpret_cast<uint8_t*>(tile.b_exponent[parity][k]);
      hn::StoreU(hn::InterleaveLower(d, even, odd), d, to);
      hn::StoreU(hn::InterleaveUpper(d, even, odd), d, to + 16);
    }
  }
}

template <bool kBf16, int kDepth>
HWY_INLINE bool multiply_of(const Fragments& f, const TensorCore& core) {
  TensorTile tile;
  tile.k = kDepth;
  tile.most_a = tile.most_b = kBias + 15;  // of f16
  if (kBf16 && !takes_bf16(tile, extremes_of(f.a, 8 * kDepth), extremes_of(f.b, 4 * kDepth)))
    return false;
  Half seen = hn::Zero(Halves());
  unpack_a<kBf16>(tile, f.a, seen);
  find_b_exponents<kBf16>(tile, f.b, seen);
  const uint16_t infinity = kBf16 ? 0x7f80 : 0x7c00;
  if (!hn::AllTrue(Halves(), hn::Lt(seen, hn::Set(Halves(), infinity))) || !takes(f.c))
    return false;
  unpack_b<kBf16, kDepth>(tile, f.b);
  TileResults results;
  for (int group = 0; group < 4; ++group) {
    for (int parity = 0; parity < 2; ++parity) {
      const int at = group / 2 * 64 + group % 2 * 16 + parity * 32;
      results.c[group][parity] = reinterpret_cast<const uint8_t*>(f.c + at);
      results.d[group][parity] = reinterpret_cast<uint8_t*>(f.d + at);
    }
  }
  sum_tile(tile, core, results);
  return true;
}

bool multiply_fragments(const Fragments& f, int k, bool bf16, const TensorCore& core) {
  if (k == 16) return bf16 ? multiply_of<true, 16>(f, core) : multiply_of<false, 16>(f, core);
  return bf16 ? multiply_of<true, 8>(f, core) : multiply_of<false, 8>(f, core);
}

#endif

}  // namespace
}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(multiply_fragments);
}  // namespace

bool multiply_halves(const Fragments& fragments, int k, bool bf16, const TensorCore& core) {
  return HWY_DYNAMIC_DISPATCH(multiply_fragments)(fragments, k, bf16, core);
}

}  // namespace warpledger::numeric
#endif
