// Which instructions have a lowering of their own, and how their result is held. The emit_*.cpp
// files are the other half: what is_lowered() says yes to, they emit.
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

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

/// Those of is_lowered() that emit_bits.cpp, emit_round.cpp, emit_math.cpp, emit_exchange.cpp and
/// emit_copy.cpp do (lowering_values.cpp).
[[nodiscard]] bool is_lowered_bits(const reference::Step& step);  // bfe, bfi, prmt, shf
[[nodiscard]] bool is_lowered_division(const reference::Step& step);
[[nodiscard]] bool is_lowered_pack(const reference::Step& step);
[[nodiscard]] bool is_lowered_directed(const reference::Step& step);
[[nodiscard]] bool is_lowered_to_float(const reference::Step& step);
[[nodiscard]] bool is_lowered_math(const reference::Step& step);
[[nodiscard]] bool is_lowered_exchange(const reference::Step& step);
[[nodiscard]] bool is_lowered_copy(const reference::Step& step);        // cp.async
[[nodiscard]] bool is_lowered_copy_group(const reference::Step& step);  // its commit and waits

/// Registers, constants, special registers that compiled code knows; the first a register.
[[nodiscard]] bool all_plain(const reference::Step& step);

/// [register + offset] or [address].
[[nodiscard]] bool is_addressed(const reference::Value& at);

/// Lowered for lanes that name the same ones (or addresses that were in bounds before); else the
/// interpreter's function executes it.
[[nodiscard]] bool falls_back(const reference::Step& step);

/// Accesses whose bounds compiled code may remember: 2 of cp.async, its source and its target.
[[nodiscard]] uint32_t windows_of(const reference::Step& step);

/// Whether the step, in this kernel, leaves its use mark to its own lowering: what the fast version
/// writes must come after its guesses.
[[nodiscard]] bool marks_itself(const Analysis& analysis, uint32_t pc);

/// mul, mad, shl: a uniform operand multiplies the lanes instead of being added to them.
[[nodiscard]] bool scales_lanes(const reference::Step& step);

/// f32 arithmetic whose NaNs are tidied up when looked at.
[[nodiscard]] bool is_lazy_f32(const reference::Step& step);

/// A load or store, of matrices or not, that compiled code may find in bounds by itself: global,
/// shared or constant.
[[nodiscard]] bool has_window(const reference::Step& step);

/// A load that others may be waited for with: volatile, or stronger than weak.
[[nodiscard]] bool may_spin(const reference::Step& step);

/// A barrier of warps of a block: bar.sync, bar.arrive, bar.red.
[[nodiscard]] bool is_barrier(const reference::Step& step);

/// One of the whole block, which only whole warps come to.
[[nodiscard]] bool is_block_barrier(const reference::Step& step);

/// Records that compiled code writes for a step of the kernel: marks, its access.
[[nodiscard]] uint32_t records_of(const Analysis& analysis, uint32_t pc);

/// cvt.rn from one or two f32 to f16, bf16 or a pair of them.
[[nodiscard]] bool is_narrowing(const reference::Step& step);

/// Registers of the operands of an mma.
struct MatrixCounts {
  int a = 0, b = 0, c = 0, d = 0;
};
[[nodiscard]] MatrixCounts matrix_registers(const reference::Step& step);

/// Of ldmatrix and stmatrix.
[[nodiscard]] int matrices_of(const reference::Step& step);

/// The successors of a block with two, in the order in which their lanes run: the lower first.
[[nodiscard]] std::pair<uint32_t, uint32_t> sides(const Flow& flow, uint32_t block);

/// Whether the block's last instruction ends some of its lanes and lets the others go on.
[[nodiscard]] bool kills(const Analysis& analysis, uint32_t block);

}  // namespace warpledger::exec::jit
