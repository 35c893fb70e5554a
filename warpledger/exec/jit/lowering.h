// Which instructions have a lowering of their own, and how their result is held. The emit_*.cpp
// files are the other half: what is_lowered() says yes to, they emit.
#pragma once

#include "warpledger/exec/jit/analysis.h"

namespace warpledger::exec::jit {

/// How a step's result must at least be held, given how its operands are.
[[nodiscard]] Holding result_holding(const Analysis& analysis, const reference::Step& step);
[[nodiscard]] Holding special_holding(const Extent& block, const reference::Value& value);

/// How the threads of a block fall into warps.
enum class TidShape {
  kWholeRows,  // a warp is part of one row: y and z are uniform
  kSmallRows,  // a warp is several whole rows of one plane: z is uniform
  kOther,
};
[[nodiscard]] TidShape tid_shape(const Extent& block);

/// mul, mad, shl: a uniform operand multiplies the lanes instead of being added to them.
[[nodiscard]] bool scales_lanes(const reference::Step& step);

/// f32 arithmetic whose NaNs are tidied up when looked at.
[[nodiscard]] bool is_lazy_f32(const reference::Step& step);

/// A load or store that compiled code may find in bounds by itself: global, shared or constant.
[[nodiscard]] bool has_window(const reference::Step& step);

/// A barrier of warps of a block: bar.sync, bar.arrive, bar.red.
[[nodiscard]] bool is_barrier(const reference::Step& step);

/// One of the whole block, which only whole warps come to.
[[nodiscard]] bool is_block_barrier(const reference::Step& step);

/// Records that compiled code writes for a step of the kernel: marks, its access.
[[nodiscard]] uint32_t records_of(const Analysis& analysis, uint32_t pc);

/// The successors of a block with two, in the order in which their lanes run: the lower first.
[[nodiscard]] std::pair<uint32_t, uint32_t> sides(const Flow& flow, uint32_t block);

/// Whether the block's last instruction ends some of its lanes and lets the others go on.
[[nodiscard]] bool kills(const Analysis& analysis, uint32_t block);

}  // namespace warpledger::exec::jit
