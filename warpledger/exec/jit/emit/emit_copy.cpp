// LLVM. cp.async: both of its accesses in bounds by guess, then the bytes are read into the warp's
// queue; or, by the interpreter's function, looked at lane by lane. Its groups.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Op;
using ptx::Space;

Emitter::Access Emitter::copy_side(const Step& step, Space space) {
  const bool target = space == Space::kShared;
  Access access = make_access(step, pc_, step.operands[target ? 0 : 1]);
  const auto size = static_cast<unsigned>(step.operands[2].value);
  access.space = space;
  access.element = 4;
  access.count = size / 4;
  access.is_store = target;
  access.moves = false;
  access.index += target ? 1 : 0;
  access.site += target ? 1 : 0;
  return access;
}

// Lanes that read their source, and whether each of them reads all of it.
Emitter::Sources Emitter::copy_sources(const Step& step) {
  if (step.operands.size() < 4) return {lanes(), nullptr};
  const Operand& given = step.operands[3];
  if (given.bits == 1) {  // "ignore the source"
    const LaneValue ignores = read(given, 1);
    V bits = bits_of(ignores.vector != nullptr ? ignores.vector : ignores.scalar);
    return {b_.CreateAnd(lanes(), b_.CreateNot(bits)), nullptr};
  }
  V bytes = vector(given, 32);
  V size = llvm::ConstantInt::get(bytes->getType(), step.operands[2].value);
  V some = bits_of(b_.CreateICmpNE(bytes, llvm::Constant::getNullValue(bytes->getType())));
  V whole = bits_of(b_.CreateICmpUGE(bytes, size));
  V partly = b_.CreateAnd(lanes(), b_.CreateAnd(some, b_.CreateNot(whole)));
  return {b_.CreateAnd(lanes(), some), b_.CreateICmpEQ(partly, b_.getInt32(0))};
}

bool Emitter::emit_copy(const Step& step) {
  if (!is_lowered_copy(step)) return false;
  Access from = copy_side(step, Space::kGlobal), to = copy_side(step, Space::kShared);
  const Sources sources = copy_sources(step);
  if (!fast_ || !from.steady) {
    mark_wait(step);
    emit_interpreted(step, pc_, "wl_jit_copy",
                     {sources.lanes, from.address.scalar, to.address.scalar});
    return true;
  }
  if (step.operands.size() > 3) {
    from.lanes = sources.lanes;
    from.picks_lanes = true;
    if (sources.whole != nullptr) guess(sources.whole);
  }
  guess_in_bounds(from);
  guess_in_bounds(to);
  mark_wait(step);
  record_access(from);
  record_access(to);
  count_source(pc_, from.lanes);
  if (step.dropped) return true;
  put_vector(all(from.full, 64), offsetof(WarpContext, address));
  put_vector(all(to.full, 64), offsetof(WarpContext, data));
  call_runtime("wl_jit_queue_copy", b_.getVoidTy(),
               {b_.getInt32(4 * from.count), to.lanes, from.lanes});
  return true;
}

bool Emitter::emit_copy_group(const Step& step) {
  if (!is_lowered_copy_group(step)) return false;
  if (!analysis_.copies) return true;
  if (step.spelling().op() == Op::kCpAsyncCommitGroup) {
    call_runtime("wl_jit_commit_copies", b_.getVoidTy(), {lanes()});
    return true;
  }
  const bool all_groups = step.spelling().op() == Op::kCpAsyncWaitAll;
  const uint64_t left = all_groups ? kNoGroupLeft : step.operands[0].value;
  call_runtime("wl_jit_wait_copies", b_.getVoidTy(), {lanes(), b_.getInt64(left)});
  return true;
}

}  // namespace warpledger::exec::jit
