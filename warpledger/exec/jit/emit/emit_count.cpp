// LLVM. Counting: by blocks, and by steps if blocks are not enough (counts.h).
#include "warpledger/exec/jit/emit/emit_count.h"

#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

void add_count(Emitter& e, size_t place, V more) {
  if (!e.mode.count) return;
  V counts = context_field(e, e.getPtrTy(), offsetof(WarpContext, counts));
  V at = e.CreatePtrAdd(counts, e.getInt64(8 * place));
  e.CreateStore(e.CreateAdd(e.CreateLoad(e.getInt64Ty(), at), more), at);
}

void add_lanes(Emitter& e, size_t place, V lanes) {
  if (!e.mode.count) return;
  V active = e.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
  add_count(e, place, extended(e, active, 64, false));
}

}  // namespace

void count_block(Emitter& e, uint32_t block, V lanes) {
  add_count(e, e.counts.executions(block), e.getInt64(1));
  add_lanes(e, e.counts.lanes(block), lanes);
}

void count_parting(Emitter& e, V parts) {
  if (e.mode.count) add_count(e, e.counts.partings(), extended(e, parts, 64, false));
}

void count_guarded(Emitter& e, uint32_t pc, V lanes) { add_lanes(e, e.counts.guarded(pc), lanes); }

void count_source(Emitter& e, uint32_t pc, V lanes) { add_lanes(e, e.counts.sources(pc), lanes); }

}  // namespace warpledger::exec::jit
