// LLVM. cp.async: both of its accesses in bounds by guess, then the bytes are read into the warp's
// queue; or, by the interpreter's function, looked at lane by lane. Its groups.
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_count.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_table.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using ptx::Space;

Access copy_side(Emitter& e, const Step& step, Space space) {
  const bool target = space == Space::kShared;
  Access access = make_access(e, step, step.operands[target ? 0 : 1]);
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

struct Sources {
  V lanes = nullptr;  // that read
  V whole = nullptr;  // all of them read all bytes; null: always
};

// Lanes that read their source, and whether each of them reads all of it.
Sources copy_sources(Emitter& e, const Step& step) {
  if (step.operands.size() < 4) return {e.lanes(), nullptr};
  const Operand& given = step.operands[3];
  if (given.bits == 1) {  // "ignore the source"
    const LaneValue ignores = read(e, given, 1);
    V bits = e.bits_of(ignores.vector != nullptr ? ignores.vector : ignores.scalar);
    return {e.CreateAnd(e.lanes(), e.CreateNot(bits)), nullptr};
  }
  V bytes = vector(e, given, 32);
  V size = llvm::ConstantInt::get(bytes->getType(), step.operands[2].value);
  V some = e.bits_of(e.CreateICmpNE(bytes, llvm::Constant::getNullValue(bytes->getType())));
  V whole = e.bits_of(e.CreateICmpUGE(bytes, size));
  V partly = e.CreateAnd(e.lanes(), e.CreateAnd(some, e.CreateNot(whole)));
  return {e.CreateAnd(e.lanes(), some), e.CreateICmpEQ(partly, e.getInt32(0))};
}

}  // namespace

void emit_copy(Emitter& e, const Step& step) {
  Access from = copy_side(e, step, Space::kGlobal), to = copy_side(e, step, Space::kShared);
  const Sources sources = copy_sources(e, step);
  if (!e.fast || !from.steady || e.analysis.clustered) {
    mark_wait(e, step);
    return emit_interpreted(e, step, "wl_jit_copy",
                            {sources.lanes, from.address.scalar, to.address.scalar});
  }
  if (step.operands.size() > 3) {
    from.lanes = sources.lanes;
    from.picks_lanes = true;
    if (sources.whole != nullptr) e.guess(sources.whole);
  }
  guess_in_bounds(e, from);
  guess_in_bounds(e, to);
  note_write(e, to);
  mark_wait(e, step);
  record_access(e, from);
  record_access(e, to);
  count_source(e, e.pc, from.lanes);
  if (step.dropped) return;
  put_vector(e, all(e, from.full, 64), offsetof(WarpContext, address));
  put_vector(e, all(e, to.full, 64), offsetof(WarpContext, data));
  call_runtime(e, "wl_jit_queue_copy", e.getVoidTy(),
               {e.getInt32(4 * from.count), to.lanes, from.lanes});
}

void emit_commit(Emitter& e, const Step&) {
  if (e.analysis.copies) call_runtime(e, "wl_jit_commit_copies", e.getVoidTy(), {e.lanes()});
}

void emit_wait(Emitter& e, const Step& step) {
  if (!e.analysis.copies) return;
  const bool all_groups = step.spelling().op() == Op::kCpAsyncWaitAll;
  const uint64_t left = all_groups ? kNoGroupLeft : step.operands[0].value;
  call_runtime(e, "wl_jit_wait_copies", e.getVoidTy(), {e.lanes(), e.getInt64(left)});
}

}  // namespace warpledger::exec::jit
