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
bool multiply_words(const Fragments&, int, const TensorCore&) { return false; }
bool unpack_f16(TensorTile&, const uint32_t*, const uint32_t*) { return false; }

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

/// Exponents of a matrix: the smallest of what is not zero, or less, and the largest.
struct Extremes {
  uint32_t least, most;
};

// Least comes as a magnitude less one, so that zero is the largest; of an exact power, that counts
// one less.
HWY_INLINE Extremes extremes_of(uint32_t least, uint32_t most, int fraction_bits, uint32_t zero) {
  return {least == zero ? kBias : least >> fraction_bits, most >> fraction_bits};
}

// Of bf16.
HWY_INLINE Extremes extremes_of_halves(const uint32_t* registers, int count) {
  const Halves d;
  Half most = hn::Zero(d), least = hn::Set(d, uint16_t{0xffff});
  for (int at = 0; at < count; at += kWidth) {
    const Half magnitudes = magnitudes_of(load_halves(registers + at));
    most = hn::Max(most, magnitudes);
    least = hn::Min(least, hn::Sub(magnitudes, hn::Set(d, uint16_t{1})));
  }
  return extremes_of(hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most)), 7,
                     0xffff);
}

// Sets the tile's largest exponents.
HWY_INLINE bool takes(TensorTile& tile, const Extremes& a, const Extremes& b) {
  const auto power = [](uint32_t code) { return std::bit_cast<float>(code << kFraction); };
  tile.most_a = static_cast<int>(a.most), tile.most_b = static_cast<int>(b.most);
  return a.most < 255 && b.most < 255 &&
         tile_takes({power(a.least), power(a.most), power(b.least), power(b.most)});
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
  constexpr int kFractionBits = kBf16 ? 7 : 10;
  Half code = hn::ShiftRight<kFractionBits>(magnitudes);
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

HWY_INLINE TileResults results_of(const Fragments& f) {
  TileResults results;
  for (int group = 0; group < 4; ++group) {
    for (int parity = 0; parity < 2; ++parity) {
      const int at = group / 2 * 64 + group % 2 * 16 + parity * 32;
      results.c[group][parity] = reinterpret_cast<const uint8_t*>(f.c + at);
      results.d[group][parity] = reinterpret_cast<uint8_t*>(f.d + at);
    }
  }
  return results;
}

template <bool kBf16, int kDepth>
HWY_INLINE bool unpack(TensorTile& tile, const uint32_t* a, const uint32_t* b) {
  tile.most_a = tile.most_b = kBias + 15;  // of f16
  if (kBf16 && !takes(tile, extremes_of_halves(a, 8 * kDepth), extremes_of_halves(b, 4 * kDepth)))
    return false;
  Half seen = hn::Zero(Halves());
  unpack_a<kBf16>(tile, a, seen);
  find_b_exponents<kBf16>(tile, b, seen);
  unpack_b<kBf16, kDepth>(tile, b);
  const uint16_t infinity = kBf16 ? 0x7f80 : 0x7c00;
  return hn::AllTrue(Halves(), hn::Lt(seen, hn::Set(Halves(), infinity)));
}

template <bool kBf16, int kDepth>
HWY_INLINE bool multiply_of(const Fragments& f, const TensorCore& core) {
  TensorTile tile;
  tile.k = kDepth;
  if (!unpack<kBf16, kDepth>(tile, f.a, f.b) || !takes(f.c)) return false;
  sum_tile(tile, core, results_of(f));
  return true;
}

bool unpack_f16(TensorTile& tile, const uint32_t* a, const uint32_t* b) {
  return tile.k == 16 ? unpack<false, 16>(tile, a, b) : unpack<false, 8>(tile, a, b);
}

bool multiply_fragments(const Fragments& f, int k, bool bf16, const TensorCore& core) {
  if (k == 16) return bf16 ? multiply_of<true, 16>(f, core) : multiply_of<false, 16>(f, core);
  return bf16 ? multiply_of<true, 8>(f, core) : multiply_of<false, 8>(f, core);
}

// ------------------------------------------------------------------------------------------ tf32

template <class D>
HWY_INLINE hn::Vec<D> load_tf32(D d, const uint32_t* from) {
  return hn::And(hn::LoadU(d, from), hn::Set(d, 0xffffe000u));
}

HWY_INLINE Extremes extremes_of_words(const uint32_t* registers, int count) {
  const hn::Rebind<uint32_t, Floats> d;
  auto most = hn::Zero(d), least = hn::Set(d, ~0u);
  for (int at = 0; at < count; at += kWidth) {
    const auto magnitudes = hn::And(load_tf32(d, registers + at), hn::Set(d, 0x7fffffffu));
    most = hn::Max(most, magnitudes);
    least = hn::Min(least, hn::Sub(magnitudes, hn::Set(d, 1u)));
  }
  return extremes_of(hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most)),
                     kFraction, ~0u);
}

/// As many bytes: the exponents less `most`.
template <class D>
HWY_INLINE void store_exponents(D /* floats */, hn::Vec<D> values, int most, int8_t* to) {
  const hn::Rebind<int32_t, D> d;
  const auto magnitudes = hn::BitCast(d, hn::Abs(values));
  const auto codes = hn::Sub(hn::ShiftRight<kFraction>(magnitudes), hn::Set(d, most));
  const auto exponents = hn::IfThenElse(hn::Eq(magnitudes, hn::Zero(d)),
                                        hn::Set(d, int32_t{TensorTile::kNoExponent}), codes);
  const hn::Rebind<int8_t, D> bytes;
  hn::StoreU(hn::DemoteTo(bytes, exponents), bytes, to);
}

// Register 2 c + h of A: rows from 8 h on, of quad c. Register c of B: 8 columns of quad c.
template <int kDepth>
HWY_INLINE bool multiply_tf32(const Fragments& f, const TensorCore& core) {
  TensorTile tile;
  tile.k = kDepth;
  if (!takes(tile, extremes_of_words(f.a, 16 * kDepth), extremes_of_words(f.b, 8 * kDepth)) ||
      !takes(f.c)) {
    return false;
  }
  const Floats floats;
  for (int at = 0; at < 16 * kDepth; at += kWidth) {
    const int quad = at / 64, row = at % 64 / 4;
    const auto values = hn::BitCast(floats, load_tf32(hn::Rebind<uint32_t, Floats>(), f.a + at));
    hn::StoreU(values, floats, &tile.a[row / 4][quad][row % 4 * 4]);
    store_exponents(floats, values, tile.most_a, tile.a_exponent[quad][row]);
  }
  const hn::CappedTag<float, 4> four;
  for (int parity = 0; parity < 2; ++parity) {
    for (int quad = 0; quad < kDepth / 4; ++quad) {
      hn::Vec<decltype(four)> columns[4];
      for (int i = 0; i < 4; ++i) {
        columns[i] = hn::BitCast(four, load_tf32(hn::Rebind<uint32_t, decltype(four)>(),
                                                 f.b + 32 * quad + 4 * (2 * i + parity)));
      }
      turn(four, columns);
      for (int j = 0; j < 4; ++j) {
        hn::StoreU(columns[j], four, tile.b[parity][j][quad]);
        store_exponents(four, columns[j], tile.most_b, tile.b_exponent[parity][4 * quad + j]);
      }
    }
  }
  sum_tile(tile, core, results_of(f));
  return true;
}

bool multiply_words(const Fragments& f, int k, const TensorCore& core) {
  return k == 8 ? multiply_tf32<8>(f, core) : multiply_tf32<4>(f, core);
}

#endif

}  // namespace
}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(multiply_fragments);
HWY_EXPORT(multiply_words);
HWY_EXPORT(unpack_f16);
}  // namespace

bool multiply_halves(const Fragments& fragments, int k, bool bf16, const TensorCore& core) {
  return HWY_DYNAMIC_DISPATCH(multiply_fragments)(fragments, k, bf16, core);
}

bool multiply_singles(const Fragments& fragments, int k, const TensorCore& core) {
  return HWY_DYNAMIC_DISPATCH(multiply_words)(fragments, k, core);
}

bool unpack_halves(TensorTile& tile, const uint32_t* a, const uint32_t* b) {
  return HWY_DYNAMIC_DISPATCH(unpack_f16)(tile, a, b);
}

}  // namespace warpledger::numeric
#endif
