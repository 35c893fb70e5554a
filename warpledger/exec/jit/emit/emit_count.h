// LLVM. Counting: by blocks, and by steps where that does not tell (counts.h). Nothing unless
// Mode::count.
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

void count_block(Emitter& e, uint32_t block, V lanes);
void count_parting(Emitter& e, V parts);
void count_guarded(Emitter& e, uint32_t pc, V lanes);
void count_source(Emitter& e, uint32_t pc, V lanes);

}  // namespace warpledger::exec::jit
