// Which instructions have a lowering of their own (a row of lowerings.def), and how their result is
// held. Nothing here sees LLVM.
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

#define LOWERING(op, can_lower, emit) [[nodiscard]] bool can_lower(const reference::Step& step);
#include "warpledger/exec/jit/analysis/lowerings.def"
#undef LOWERING

/// The row of lowerings.def, counted from 0, that compiles the step: the first of its opcode whose
/// rule says yes.
[[nodiscard]] uint32_t find_lowering(const reference::Step& step);
inline constexpr uint32_t kNoLowering = UINT32_MAX;

/// A cp.async that compiled code does itself.
[[nodiscard]] bool is_lowered_copy(const reference::Step& step);

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

/// A register, a constant, a special register that compiled code knows.
[[nodiscard]] bool is_plain(const reference::Value& value);
/// All operands are, and the first is a register.
[[nodiscard]] bool all_plain(const reference::Step& step);
/// f32 or f64.
[[nodiscard]] bool is_plain_float(const TypeInfo& type);
[[nodiscard]] bool is_f32(const TypeInfo& type);

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

/// Whether an address is one place for all lanes: on their stacks each has its own.
[[nodiscard]] bool is_one_place(ptx::Space space);

/// A load that others may be waited for with: volatile, or stronger than weak.
[[nodiscard]] bool may_spin(const reference::Step& step);

/// What goes on beside the warp that issues it, or waits for such work: bulk copies, mbarriers,
/// wgmma, tensor memory.
[[nodiscard]] bool is_asynchronous(const reference::Step& step);
/// A product that reads shared memory after it was issued.
[[nodiscard]] bool reads_shared_later(const reference::Step& step);

/// A barrier of warps of a block: bar.sync, bar.arrive, bar.red.
[[nodiscard]] bool is_barrier(const reference::Step& step);

// is_block_barrier(), above: one of the whole block, which only whole warps come to.

/// Records that compiled code writes for a step of the kernel: marks, its access.
[[nodiscard]] uint32_t records_of(const Analysis& analysis, uint32_t pc);

/// Registers of the operands of an mma.
struct MatrixCounts {
  int a = 0, b = 0, c = 0, d = 0;
};
[[nodiscard]] MatrixCounts matrix_registers(const reference::Step& step);

/// Of ldmatrix and stmatrix.
[[nodiscard]] int matrices_of(const reference::Step& step);

/// The successors of a block, in the order in which their lanes run: the lowest first.
[[nodiscard]] std::vector<uint32_t> sides_of(const Flow& flow, uint32_t block);
/// Those whose lanes may wait on the stack: of two the second, of a table's all.
[[nodiscard]] std::vector<uint32_t> waiting_sides(const Analysis& analysis, uint32_t block);
/// Whether the block ends with a jump through a table, whose lanes all go by the stack.
[[nodiscard]] bool is_table(const Analysis& analysis, uint32_t block);

/// Instructions of a block: those that are counted. Up to the first call that was inlined, the
/// call included: what a warp must have left to begin another turn of a loop (slice/turns.h).
[[nodiscard]] uint32_t instructions_of(const Analysis& analysis, uint32_t block);
[[nodiscard]] uint32_t instructions_to_call(const Analysis& analysis, uint32_t block);

/// Blocks that some lanes may be in while others wait elsewhere, after `block` has parted them.
[[nodiscard]] std::vector<bool> lanes_apart(const Analysis& analysis, uint32_t block);

/// Whether the block's last instruction returns from an inlined function, with a guard or without.
[[nodiscard]] bool returns(const Analysis& analysis, uint32_t block);

/// Whether the block's last instruction ends some of its lanes and lets the others go on.
[[nodiscard]] bool kills(const Analysis& analysis, uint32_t block);

}  // namespace warpledger::exec::jit
