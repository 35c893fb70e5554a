// Elements of panels brought into their order. Compiled once for each instruction set, like
// tile_sums.cpp.

// Widths of SVE are not known to the compiler: such hosts use NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpledger/exec/numeric/panel_turn.cpp"
#include <hwy/foreach_target.h>  // includes this file again
#include <hwy/highway.h>

#include "warpledger/exec/numeric/panel.h"

HWY_BEFORE_NAMESPACE();
namespace warpledger::numeric::HWY_NAMESPACE {
namespace {

constexpr int kDepth = LeftPanel::kDepth, kRows = LeftPanel::kRows;
using Pairs = uint32_t[kDepth / 2][kRows];

#if HWY_TARGET == HWY_SCALAR  // x86-64 without SSSE3: no vectors

void turn_rows(std::span<const PanelLine, 16>, Pairs&) {}
void turn_eight(const std::byte* const (&)[kDepth], std::span<PanelLine, 8>) {}
void turn_in(std::span<const uint32_t>, std::span<uint32_t>) {}
void turn_out(std::span<const uint32_t>, std::span<uint32_t>) {}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<uint32_t, kRows>;
using Word = hn::Vec<Words>;
constexpr int kWords = static_cast<int>(hn::MaxLanes(Words()));

// Four vectors to four others, in each block of 128 bits: x[j] gets element j of each.
template <class V, class D>
HWY_INLINE void turn_blocks(D d, V (&x)[4]) {
  const V even = hn::InterleaveLower(d, x[0], x[2]), odd = hn::InterleaveLower(d, x[1], x[3]);
  const V even_up = hn::InterleaveUpper(d, x[0], x[2]), odd_up = hn::InterleaveUpper(d, x[1], x[3]);
  x[0] = hn::InterleaveLower(d, even, odd);
  x[1] = hn::InterleaveUpper(d, even, odd);
  x[2] = hn::InterleaveLower(d, even_up, odd_up);
  x[3] = hn::InterleaveUpper(d, even_up, odd_up);
}

void turn_rows(std::span<const PanelLine, 16> rows, Pairs& pairs) {
  const hn::CappedTag<uint32_t, 4> d;
  for (int row = 0; row < kRows; row += 4) {
    for (int pair = 0; pair < kDepth / 2; pair += 4) {
      hn::Vec<decltype(d)> x[4];
      for (int i = 0; i < 4; ++i)
        x[i] = hn::BitCast(d, hn::LoadU(hn::CappedTag<uint16_t, 8>(),
                                        rows[static_cast<size_t>(row + i)].element + 2 * pair));
      turn_blocks(d, x);
      for (int i = 0; i < 4; ++i) hn::StoreU(x[i], d, &pairs[pair + i][row]);
    }
  }
}

void turn_eight(const std::byte* const (&pieces)[16], std::span<PanelLine, 8> lines) {
  const hn::CappedTag<uint16_t, 8> d;
  for (int half = 0; half < kDepth; half += 8) {
    hn::Vec<decltype(d)> x[8], y[8];
    for (int i = 0; i < 8; ++i)
      x[i] = hn::LoadU(d, reinterpret_cast<const uint16_t*>(pieces[half + i]));
    // Three times the same perfect shuffle.
    for (int stage = 0; stage < 3; ++stage) {
      for (int i = 0; i < 4; ++i) {
        y[2 * i] = hn::InterleaveLower(d, x[i], x[i + 4]);
        y[2 * i + 1] = hn::InterleaveUpper(d, x[i], x[i + 4]);
      }
      for (int i = 0; i < 8; ++i) x[i] = y[i];
    }
    for (size_t i = 0; i < 8; ++i) hn::StoreU(x[i], d, lines[i].element + half);
  }
}

// Of eight columns in four registers, vector g (rows from 4 g on) of every second column is half a
// register.
HWY_INLINE int place_of(int group, int parity) {
  return (group / 2 * 2 + parity) * 32 + group % 2 * kRows;
}

void turn_in(std::span<const uint32_t> registers, std::span<uint32_t> columns) {
  const Words d;
  for (size_t eight = 0; eight < registers.size(); eight += 8 * size_t{kRows}) {
    for (int parity = 0; parity < 2; ++parity) {
      for (int at = 0; at < kRows; at += kWords) {
        Word x[4];
        for (int i = 0; i < 4; ++i)
          x[i] = hn::LoadU(d, registers.data() + eight + place_of(i, parity) + at);
        turn_blocks(d, x);
        for (int i = 0; i < 4; ++i)
          hn::StoreU(x[i], d, columns.data() + eight + (2 * i + parity) * kRows + at);
      }
    }
  }
}

void turn_out(std::span<const uint32_t> columns, std::span<uint32_t> registers) {
  const Words d;
  for (size_t eight = 0; eight < registers.size(); eight += 8 * size_t{kRows}) {
    for (int parity = 0; parity < 2; ++parity) {
      for (int at = 0; at < kRows; at += kWords) {
        Word x[4];
        for (int i = 0; i < 4; ++i)
          x[i] = hn::LoadU(d, columns.data() + eight + (2 * i + parity) * kRows + at);
        turn_blocks(d, x);
        for (int i = 0; i < 4; ++i)
          hn::StoreU(x[i], d, registers.data() + eight + place_of(i, parity) + at);
      }
    }
  }
}

#endif

}  // namespace
}  // namespace warpledger::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpledger::numeric {
namespace {
HWY_EXPORT(turn_rows);
HWY_EXPORT(turn_eight);
HWY_EXPORT(turn_in);
HWY_EXPORT(turn_out);
}  // namespace

bool unpack(LeftPanel& panel, std::span<const PanelLine, 16> rows, PanelFormat format) {
  alignas(64) uint32_t pairs[LeftPanel::kDepth / 2][LeftPanel::kRows];
  HWY_DYNAMIC_DISPATCH(turn_rows)(rows, pairs);
  return unpack(panel, pairs, format);
}

void turn_pieces(const std::byte* const (&pieces)[16], std::span<PanelLine, 8> lines) {
  HWY_DYNAMIC_DISPATCH(turn_eight)(pieces, lines);
}

void columns_of_registers(std::span<const uint32_t> registers, std::span<uint32_t> columns) {
  HWY_DYNAMIC_DISPATCH(turn_in)(registers, columns);
}
void registers_of_columns(std::span<const uint32_t> columns, std::span<uint32_t> registers) {
  HWY_DYNAMIC_DISPATCH(turn_out)(columns, registers);
}

}  // namespace warpledger::numeric
#endif
