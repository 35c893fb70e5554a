// LLVM. Counting: by blocks, and by steps where that does not tell (counts.h).
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

void Emitter::add_count(size_t place, V more) {
  if (!mode_.count) return;
  V counts = context_field(b_.getPtrTy(), offsetof(WarpContext, counts));
  V at = b_.CreatePtrAdd(counts, b_.getInt64(8 * place));
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), at), more), at);
}

void Emitter::add_lanes(size_t place, V lanes) {
  if (!mode_.count) return;
  V active = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
  add_count(place, extended(active, 64, false));
}

void Emitter::count_block(uint32_t block, V lanes) {
  add_count(counts_.executions(block), b_.getInt64(1));
  add_lanes(counts_.lanes(block), lanes);
}

void Emitter::count_parting(V parts) {
  if (mode_.count) add_count(counts_.partings(), extended(parts, 64, false));
}

void Emitter::count_guarded(uint32_t pc, V lanes) { add_lanes(counts_.guarded(pc), lanes); }

void Emitter::count_source(uint32_t pc, V lanes) { add_lanes(counts_.sources(pc), lanes); }

}  // namespace warpledger::exec::jit
