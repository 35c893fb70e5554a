// Compiled once for each instruction set, like tile_sums.cpp. Vectors have up to 8 doubles.

// Widths of SVE are not known to the compiler: such hosts use NEON. Where the host counts bits in
// one instruction, it does.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpledger/exec/numeric/panel_sums.cpp"
#include <hwy/foreach_target.h>  // includes this file again
#include <hwy/highway.h>

#include <cstring>

#include "warpledger/exec/numeric/panel.h"
#include "warpledger/exec/numeric/toward_zero.h"

HWY_BEFORE_NAMESPACE();
namespace warpledger::numeric::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // x86-64 without SSSE3: no vectors

bool has_vectors() { return false; }
void sum_all(const LeftPanel&, std::span<const RightPanel>, const TensorCore&,
             const PanelResults&) {}

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRows = LeftPanel::kRows, kDepth = LeftPanel::kDepth;
constexpr int kColumns = RightPanel::kColumns;
constexpr int kBias = 127, kFraction = 23;    // of an f32
constexpr int kLongBias = 1023, kSteps = 52;  // of a double
constexpr uint8_t kLeastCode = kBias - 100;   // of kTileLeast
constexpr int kCountBits = 12;                // of a Start, below its exponent
constexpr double kEnlarged = 1 + 0x1p-28;

using Doubles = hn::CappedTag<double, 8>;
using Longs = hn::Rebind<uint64_t, Doubles>;
using Floats = hn::Rebind<float, Doubles>;
using Words = hn::CappedTag<uint32_t, kRows>;
using Bytes = hn::CappedTag<uint8_t, 64>;
using Double = hn::Vec<Doubles>;
constexpr int kLongs = static_cast<int>(hn::MaxLanes(Doubles()));
constexpr int kWords = static_cast<int>(hn::MaxLanes(Words()));
constexpr int kBytes = static_cast<int>(hn::MaxLanes(Bytes()));

/// Of a quad of columns.
struct alignas(64) Quad {
  uint8_t top[kColumns][kRows];     // largest exponents of products, as in an f32
  uint32_t start[kColumns][kRows];  // negative addends << 12 | exponent of M, as in a double
};

struct alignas(64) Selectors {
  uint8_t of[kDepth][16];
};
constexpr Selectors kSelectors = [] {
  Selectors all = {};
  for (int k = 0; k < kDepth; ++k)
    for (uint8_t& byte : all.of[k]) byte = static_cast<uint8_t>(k);
  return all;
}();

// A block of 128 bits is a column.
HWY_INLINE void find_tops(const LeftPanel& a, const RightPanel& b, Quad& quad) {
  constexpr int8_t kNone = -128;
  const hn::Rebind<int8_t, Bytes> bytes;
  const auto none = hn::Set(bytes, kNone);
  for (int at = 0; at < kColumns * kRows; at += kBytes) {
    const auto columns = hn::LoadU(bytes, &b.exponent[0][0] + at);
    auto most = none;
#pragma GCC unroll 16
    for (int k = 0; k < kDepth; ++k) {
      const auto rows = hn::LoadDup128(bytes, a.exponent[k]);
      const auto selector = hn::BitCast(bytes, hn::LoadDup128(Bytes(), kSelectors.of[k]));
      most = hn::Max(most, hn::SaturatedAdd(rows, hn::TableLookupBytes(columns, selector)));
    }
    const auto bias = hn::Set(bytes, static_cast<int8_t>(a.most + b.most - kBias));
    const auto least = hn::Set(bytes, static_cast<int8_t>(kLeastCode));
    const auto code = hn::IfThenElse(hn::Eq(most, none), least, hn::Add(most, bias));
    hn::StoreU(hn::BitCast(Bytes(), code), Bytes(), &quad.top[0][0] + at);
  }
}

/// f32 bits of C of a column.
template <bool kAdds>
HWY_INLINE hn::Vec<Words> load_c(const uint32_t* c) {
  if constexpr (kAdds) return hn::LoadU(Words(), c);
  return hn::Zero(Words());
}

template <bool kAdds>
HWY_INLINE void find_starts(const LeftPanel& a, const RightPanel& b, int fraction_bits,
                            const PanelResults& results, Quad& quad) {
  const Words d;
  const hn::Rebind<int32_t, Words> signed_words;
  const auto exponent =
      hn::Set(d, static_cast<uint32_t>(kSteps - fraction_bits + kLongBias - kBias));
  for (int column = 0; column < kColumns; ++column) {
    for (int at = 0; at < kRows; at += kWords) {
      const auto c = load_c<kAdds>(results.d + column * results.stride + at);
      auto top = hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, Words>(), quad.top[column] + at));
      auto negative =
          hn::PopulationCount(hn::And(hn::LoadU(d, a.signs + at), hn::Set(d, b.signs[column])));
      if constexpr (kAdds) {
        const auto code = hn::And(hn::ShiftRight<kFraction>(c), hn::Set(d, 0xffu));
        top = hn::BitCast(d,
                          hn::Max(hn::BitCast(signed_words, top), hn::BitCast(signed_words, code)));
        negative = hn::Add(negative, hn::ShiftRight<31>(c));
      }
      const auto start = hn::Add(hn::ShiftLeft<kCountBits>(negative), hn::Add(top, exponent));
      hn::StoreU(start, d, quad.start[column] + at);
    }
  }
}

/// M and the steps to give back, as a sum.
HWY_INLINE hn::Vec<Longs> started(const uint32_t* start) {
  const Longs d;
  const auto words = hn::LoadU(hn::Rebind<uint32_t, Longs>(), start);
  return hn::Or(hn::RotateRight<kCountBits>(hn::PromoteTo(d, words)),
                hn::Set(d, uint64_t{1} << (kSteps - 1)));
}

template <bool kAdds>
HWY_INLINE Double begun(hn::Vec<Longs> start, const uint32_t* c) {
  const Doubles d;
  const Double sum = hn::BitCast(d, start);
  if constexpr (!kAdds) return sum;
  const auto words = hn::LoadU(hn::Rebind<uint32_t, Longs>(), c);
  const Double addend = hn::PromoteTo(d, hn::BitCast(Floats(), words));
  return hn::Add(sum, hn::Mul(addend, hn::Set(d, kEnlarged)));
}

HWY_INLINE void finish(Double sum, hn::Vec<Longs> start, uint32_t* to) {
  const Doubles d;
  const Longs longs;
  const auto counts = hn::Set(longs, (uint64_t{1} << (kCountBits - 1)) - 1);
  const Double steps = hn::Sub(sum, hn::BitCast(d, hn::AndNot(counts, start)));
  const auto result = hn::DemoteTo(Floats(), steps);  // toward zero
  const hn::Rebind<uint32_t, Longs> words;
  hn::StoreU(hn::BitCast(words, result), words, to);
}

/// Two vectors of rows from `row` on, of four columns.
template <bool kAdds>
HWY_INLINE void sum_rows(const LeftPanel& a, const RightPanel& b, const Quad& quad, int row,
                         const PanelResults& results) {
  const Doubles d;
  hn::Vec<Longs> start[kColumns][2];
  Double sum[kColumns][2];
#pragma GCC unroll 4
  for (int column = 0; column < kColumns; ++column) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const int at = row + i * kLongs;
      start[column][i] = started(quad.start[column] + at);
      sum[column][i] = begun<kAdds>(start[column][i], results.d + column * results.stride + at);
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < kDepth; ++k) {
    const Double rows[2] = {hn::LoadU(d, a.value[k] + row),
                            hn::LoadU(d, a.value[k] + row + kLongs)};
#pragma GCC unroll 4
    for (int column = 0; column < kColumns; ++column) {
      const Double factor = hn::Set(d, b.value[column][k]);
      sum[column][0] = hn::MulAdd(rows[0], factor, sum[column][0]);
      sum[column][1] = hn::MulAdd(rows[1], factor, sum[column][1]);
    }
  }
#pragma GCC unroll 4
  for (int column = 0; column < kColumns; ++column) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
      finish(sum[column][i], start[column][i],
             results.d + column * results.stride + row + i * kLongs);
  }
}

// Not inlined: the compiler must not move its arithmetic out of where a TowardZero lives.
template <bool kAdds>
HWY_NOINLINE void sum_columns(const LeftPanel& a, std::span<const RightPanel> b,
                              const TensorCore& core, PanelResults results) {
  for (const RightPanel& columns : b) {
    Quad quad;
    find_tops(a, columns, quad);
    find_starts<kAdds>(a, columns, core.fraction_bits, results, quad);
    for (int row = 0; row < kRows; row += 2 * kLongs)
      sum_rows<kAdds>(a, columns, quad, row, results);
    results.d += kColumns * results.stride;
  }
}

bool has_vectors() { return true; }

void sum_all(const LeftPanel& a, std::span<const RightPanel> b, const TensorCore& core,
             const PanelResults& results) {
  const TowardZero rounding;
  results.adds ? sum_columns<true>(a, b, core, results) : sum_columns<false>(a, b, core, results);
}

#endif

}  // namespace
}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(has_vectors);
HWY_EXPORT(sum_all);
}  // namespace

bool panels_take(const TensorCore& core) {
  return core.block == LeftPanel::kDepth && core.fraction_bits <= 25 && core.result_bits == 23 &&
         !core.by_f16 && HWY_DYNAMIC_DISPATCH(has_vectors)();
}

void sum_panels(const LeftPanel& a, std::span<const RightPanel> b, const TensorCore& core,
                const PanelResults& results) {
  HWY_DYNAMIC_DISPATCH(sum_all)(a, b, core, results);
}

}  // namespace warpledger::numeric
#endif
