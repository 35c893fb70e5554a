// Compiled once for each instruction set, like tile_sums.cpp.

// Widths of SVE are not known to the compiler: such hosts use NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpledger/exec/numeric/panel_unpack.cpp"
#include <hwy/foreach_target.h>  // includes this file again
#include <hwy/highway.h>

#include <bit>
#include <cstring>

#include "warpledger/exec/numeric/panel.h"
#include "warpledger/exec/numeric/tensor_tile.h"

HWY_BEFORE_NAMESPACE();
namespace warpledger::numeric::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // x86-64 without SSSE3: no vectors

using Pairs = uint32_t[8][16];
bool unpack_pairs(LeftPanel&, const Pairs&, PanelFormat) { return false; }
bool unpack_columns(RightPanel&, std::span<const PanelLine, 4>, PanelFormat) { return false; }
bool takes_all(const PanelResults&, uint32_t) { return false; }

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kDepth = LeftPanel::kDepth, kRows = LeftPanel::kRows;
constexpr int kBias = 127, kFraction = 23;   // of an f32
constexpr uint8_t kLeastCode = kBias - 100;  // of kTileLeast
constexpr uint32_t kMagnitude = 0x7fffffff;
using Pairs = uint32_t[kDepth / 2][kRows];

using Words = hn::CappedTag<uint32_t, 16>;
using Floats = hn::Rebind<float, Words>;
using SignedWords = hn::Rebind<int32_t, Words>;
using Word = hn::Vec<Words>;
constexpr int kWords = static_cast<int>(hn::MaxLanes(Words()));

/// f32 bits of what 16 bits of each word say.
template <PanelFormat kFormat>
HWY_INLINE Word widened(Word halves) {
  const Words d;
  if constexpr (kFormat == PanelFormat::kBfloat) return hn::ShiftLeft<16>(halves);
  // Subnormals too: the shifted bits are an f32 that is 2^112 times too small. What is infinite
  // becomes 2^16 and more.
  const Word shifted = hn::ShiftLeft<13>(hn::And(halves, hn::Set(d, 0x7fffu)));
  const auto scaled = hn::Mul(hn::BitCast(Floats(), shifted), hn::Set(Floats(), 0x1p112f));
  const Word sign = hn::ShiftLeft<16>(hn::And(halves, hn::Set(d, 0x8000u)));
  return hn::Or(hn::BitCast(d, scaled), sign);
}

/// The smallest magnitude that is not 0, less one, and the largest, as f32 bits.
struct Range {
  Word least, most;
};
HWY_INLINE Range no_range() { return {hn::Set(Words(), ~0u), hn::Zero(Words())}; }
HWY_INLINE void widen(Range& range, Word bits) {
  const Word magnitude = hn::And(bits, hn::Set(Words(), kMagnitude));
  range.most = hn::Max(range.most, magnitude);
  range.least = hn::Min(range.least, hn::Sub(magnitude, hn::Set(Words(), 1u)));
}

/// Exponents of a panel; of f16 those that a half can have, which always fit. False: a value is
/// infinite or NaN.
template <PanelFormat kFormat, class Panel>
HWY_INLINE bool set_bounds(Panel& panel, const Range& range) {
  const Words d;
  if constexpr (kFormat == PanelFormat::kHalf) {
    panel.least = kBias - 24, panel.most = kBias + 15;
    return hn::AllTrue(d, hn::Lt(range.most, hn::Set(d, uint32_t{kBias + 16} << kFraction)));
  }
  const uint32_t least = hn::GetLane(hn::MinOfLanes(d, range.least));
  const uint32_t most = hn::GetLane(hn::MaxOfLanes(d, range.most));
  panel.least = least >= kMagnitude ? kBias : static_cast<int>(least >> kFraction);
  panel.most = least >= kMagnitude ? kBias : static_cast<int>(most >> kFraction);
  return panel.most < 255;
}

/// Exponents less `most`, -128 of 0. A subnormal half has the exponent of its code.
template <PanelFormat kFormat>
HWY_INLINE hn::Vec<SignedWords> exponents_of(Word bits, int most) {
  const SignedWords d;
  const auto magnitude = hn::BitCast(d, hn::And(bits, hn::Set(Words(), kMagnitude)));
  auto code = hn::ShiftRight<kFraction>(magnitude);
  if constexpr (kFormat == PanelFormat::kHalf) code = hn::Max(code, hn::Set(d, kBias - 14));
  return hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), hn::Set(d, -128),
                        hn::Sub(code, hn::Set(d, most)));
}

HWY_INLINE void store_bytes(hn::Vec<SignedWords> values, int8_t* to) {
  const hn::Rebind<int8_t, SignedWords> d;
  hn::StoreU(hn::DemoteTo(d, values), d, to);
}

HWY_INLINE void store_doubles(Word bits, double scale, double* to) {
  const hn::CappedTag<double, 8> d;
  constexpr int kLongs = static_cast<int>(hn::MaxLanes(decltype(d)()));
  alignas(64) float values[kWords];
  hn::Store(hn::BitCast(Floats(), bits), Floats(), values);
  for (int at = 0; at < kWords; at += kLongs) {
    const auto wide = hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), values + at));
    hn::StoreU(hn::Mul(wide, hn::Set(d, scale)), d, to + at);
  }
}

/// One element of k of a vector of rows.
template <PanelFormat kFormat>
HWY_INLINE void unpack_k(LeftPanel& panel, int k, int row, Word halves, Word& signs, Range& range) {
  const Words d;
  const Word bits = widened<kFormat>(halves);
  if constexpr (kFormat == PanelFormat::kHalf) widen(range, bits);
  store_bytes(exponents_of<kFormat>(bits, panel.most), &panel.exponent[k][row]);
  store_doubles(bits, 1 + 0x1p-28, &panel.value[k][row]);
  const SignedWords s;
  const auto is_negative = hn::RebindMask(d, hn::Lt(hn::BitCast(s, bits), hn::Zero(s)));
  const Word bit = hn::IfThenElse(is_negative, hn::Set(d, 0x10000u << k), hn::Set(d, 1u << k));
  const auto is_zero = hn::Eq(hn::Add(bits, bits), hn::Zero(d));
  signs = hn::Or(signs, hn::IfThenZeroElse(is_zero, bit));
}

template <PanelFormat kFormat>
HWY_INLINE bool unpack_as(LeftPanel& panel, const Pairs& pairs) {
  const Words d;
  const Word low = hn::Set(d, 0xffffu);
  Range range = no_range();
  if constexpr (kFormat == PanelFormat::kBfloat) {
    for (int i = 0; i < kDepth / 2 * kRows; i += kWords) {
      const Word both = hn::LoadU(d, &pairs[0][0] + i);
      widen(range, widened<kFormat>(hn::And(both, low)));
      widen(range, widened<kFormat>(hn::ShiftRight<16>(both)));
    }
    if (!set_bounds<kFormat>(panel, range)) return false;
  }
  panel.most = kFormat == PanelFormat::kHalf ? kBias + 15 : panel.most;
  for (int row = 0; row < kRows; row += kWords) {
    Word signs = hn::Zero(d);
    for (int pair = 0; pair < kDepth / 2; ++pair) {
      const Word both = hn::LoadU(d, &pairs[pair][row]);
      unpack_k<kFormat>(panel, 2 * pair, row, hn::And(both, low), signs, range);
      unpack_k<kFormat>(panel, 2 * pair + 1, row, hn::ShiftRight<16>(both), signs, range);
    }
    hn::StoreU(signs, d, panel.signs + row);
  }
  return kFormat == PanelFormat::kBfloat || set_bounds<kFormat>(panel, range);
}

template <PanelFormat kFormat>
HWY_INLINE Word load_line(const PanelLine& line, int k) {
  const hn::Rebind<uint16_t, Words> halves;
  return widened<kFormat>(hn::PromoteTo(Words(), hn::LoadU(halves, line.element + k)));
}

HWY_INLINE uint32_t bits_of(hn::Mask<Words> mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(Words(), mask, bytes);
  return bytes[0] | uint32_t{bytes[1]} << 8;
}

template <PanelFormat kFormat>
HWY_INLINE bool unpack_as(RightPanel& panel, std::span<const PanelLine, 4> columns) {
  const Words d;
  const SignedWords s;
  Range range = no_range();
  for (const PanelLine& column : columns)
    for (int k = 0; k < kDepth; k += kWords) widen(range, load_line<kFormat>(column, k));
  if (!set_bounds<kFormat>(panel, range)) return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    uint32_t signs = 0;
    for (int k = 0; k < kDepth; k += kWords) {
      const Word bits = load_line<kFormat>(columns[i], k);
      store_bytes(exponents_of<kFormat>(bits, panel.most), panel.exponent[i] + k);
      store_doubles(bits, 1, panel.value[i] + k);
      const auto is_zero = hn::Eq(hn::Add(bits, bits), hn::Zero(d));
      const auto is_negative = hn::RebindMask(d, hn::Lt(hn::BitCast(s, bits), hn::Zero(s)));
      const uint32_t zeros = bits_of(is_zero), negative = bits_of(is_negative) & ~zeros;
      constexpr uint32_t kAll = (1u << kWords) - 1;
      signs |= (negative | (kAll & ~zeros & ~negative) << 16) << k;
    }
    panel.signs[i] = signs;
  }
  return true;
}

bool unpack_pairs(LeftPanel& panel, const Pairs& pairs, PanelFormat format) {
  return format == PanelFormat::kHalf ? unpack_as<PanelFormat::kHalf>(panel, pairs)
                                      : unpack_as<PanelFormat::kBfloat>(panel, pairs);
}
bool unpack_columns(RightPanel& panel, std::span<const PanelLine, 4> columns, PanelFormat format) {
  return format == PanelFormat::kHalf ? unpack_as<PanelFormat::kHalf>(panel, columns)
                                      : unpack_as<PanelFormat::kBfloat>(panel, columns);
}

// As in tile_vectors.cpp: the sign comes last, so that -0 is the smallest of all but 0, which
// becomes the largest.
bool takes_all(const PanelResults& c, uint32_t columns) {
  const Words d;
  const Word one = hn::Set(d, 1u);
  Word least = hn::Set(d, ~0u), most = hn::Zero(d);
  for (uint32_t column = 0; column < columns; ++column) {
    for (int at = 0; at < kRows; at += kWords) {
      const Word bits = hn::RotateRight<31>(hn::LoadU(d, c.d + column * c.stride + at));
      most = hn::Max(most, bits);
      least = hn::Min(least, hn::Sub(bits, one));
    }
  }
  const Word low = hn::Set(d, (uint32_t{kLeastCode} << 24) - 2);
  const Word high = hn::Set(d, uint32_t{kBias + 120} << 24);
  return hn::AllTrue(d, hn::And(hn::Gt(least, low), hn::Lt(most, high)));
}

#endif

}  // namespace
}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(unpack_pairs);
HWY_EXPORT(unpack_columns);
HWY_EXPORT(takes_all);
}  // namespace

bool unpack(LeftPanel& panel, const uint32_t (&pairs)[8][16], PanelFormat format) {
  return HWY_DYNAMIC_DISPATCH(unpack_pairs)(panel, pairs, format);
}
bool unpack(RightPanel& panel, std::span<const PanelLine, 4> columns, PanelFormat format) {
  return HWY_DYNAMIC_DISPATCH(unpack_columns)(panel, columns, format);
}

bool panels_take(const LeftPanel& a, const RightPanel& b) {
  const auto power = [](int code) {
    return std::bit_cast<float>(static_cast<uint32_t>(code) << 23);
  };
  return tile_takes({power(a.least), power(a.most), power(b.least), power(b.most)});
}

bool panels_take(const PanelResults& c, uint32_t columns) {
  return HWY_DYNAMIC_DISPATCH(takes_all)(c, columns);
}

}  // namespace warpledger::numeric
#endif
