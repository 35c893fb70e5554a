// The sums of tensor_core.h for 16 rows of A and any number of columns of B, in doubles: what wgmma
// and tcgen05.mma multiply, whose operands are unpacked once for many results.
//
// With t the largest exponent of a block and s = 2^(t - fraction bits), the model sums what each
// addend is in steps of s, cut toward zero. A double near M = 1.5 * 2^52 s has steps of just s, so
// adding to it, with rounding toward zero, cuts an addend to whole steps: one fused multiply-add
// for a product. It cuts down, not toward zero, since M is positive; what is negative and not whole
// comes out a step too small. Therefore A (and C) count 1 + 2^-28 times: then no negative
// addend is whole, no positive one becomes another, and the steps to give back are the number of
// negative addends, counted by their signs.
//   Of a product |a b| = n 2^-f steps, n < 2^22, below 2^27 steps: 2^-28 of it is less than 2^-f
//   and less than a step. The same of C, with 24 bits and below 2^26. a (1 + 2^-28) b has
//   at most 11 + 28 + 11 bits, which a double holds; and 17 addends stay below 2^51 steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpledger/exec/numeric/tensor_core.h"

namespace warpledger::numeric {

/// 16 rows of A. Their order is the caller's: row i of a panel makes row i of results.
struct alignas(64) LeftPanel {
  static constexpr int kRows = 16, kDepth = 16;
  double value[kDepth][kRows];     // times 1 + 2^-28
  int8_t exponent[kDepth][kRows];  // less `most`
  uint32_t signs[kRows];           // bit k: positive; 16 + k: negative; neither: 0
  int least, most;                 // exponents of what is not 0, as in an f32; of f16 its bounds
};

/// Four columns of B, or fewer and zeros.
struct alignas(64) RightPanel {
  static constexpr int kColumns = 4, kDepth = LeftPanel::kDepth;
  double value[kColumns][kDepth];
  int8_t exponent[kColumns][kDepth];  // less `most`
  uint32_t signs[kColumns];           // bit k: negative; 16 + k: positive
  int least, most;
};

/// 16 elements of 16 bits of a row of A or a column of B, k after k.
struct alignas(32) PanelLine {
  uint16_t element[LeftPanel::kDepth];
};

/// Eight lines from 16 pieces of eight elements that have the same k.
void turn_pieces(const std::byte* const (&pieces)[LeftPanel::kDepth],
                 std::span<PanelLine, 8> lines);

enum class PanelFormat : uint8_t { kHalf, kBfloat };

/// False, and the panel is of no use, where a value is infinite or NaN.
[[nodiscard]] bool unpack(LeftPanel& panel, std::span<const PanelLine, 16> rows,
                          PanelFormat format);
/// The same of pairs side by side: [k / 2][row], the lower half is that of even k.
[[nodiscard]] bool unpack(LeftPanel& panel, const uint32_t (&pairs)[8][16], PanelFormat format);
[[nodiscard]] bool unpack(RightPanel& panel, std::span<const PanelLine, 4> columns,
                          PanelFormat format);

/// Whether sums of products of the two fit (tensor_tile.h, tile_takes()).
[[nodiscard]] bool panels_take(const LeftPanel& a, const RightPanel& b);
/// Whether sum_panels() makes this core's sums.
[[nodiscard]] bool panels_take(const TensorCore& core);

/// 16 results a column, f32 bits: column j's are at d[j * stride].
struct PanelResults {
  uint32_t* d = nullptr;
  ptrdiff_t stride = LeftPanel::kRows;
  bool adds = true;  // to what is there; else C is 0
};
/// Whether so many columns of C fit.
[[nodiscard]] bool panels_take(const PanelResults& c, uint32_t columns);

/// d[j * stride + i] = dot_f32(core, row i of a, column j of b, d[j * stride + i]).
/// Pre: panels_take() of the core, of a with each of b, and of C. 4 b.size() columns.
void sum_panels(const LeftPanel& a, std::span<const RightPanel> b, const TensorCore& core,
                const PanelResults& results);

/// Results as a warp's registers have them, [register][32 lanes], and as columns: eight columns are
/// four registers. Row 4 g + r stands at 4 r + g of a column (panel_row()).
void columns_of_registers(std::span<const uint32_t> registers, std::span<uint32_t> columns);
void registers_of_columns(std::span<const uint32_t> columns, std::span<uint32_t> registers);
[[nodiscard]] constexpr uint32_t panel_row(uint32_t place) { return place % 4 * 4 + place / 4; }

}  // namespace warpledger::numeric
