// LLVM. Branches, the lanes that take them, and where they meet again (flow.h).
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// The end of a block: its branch, its exit, or on to the next one.
void emit_terminator(Emitter& e, uint32_t block);
/// At a meeting point: while the top of the stack meets here too, its lanes come next.
void emit_pop(Emitter& e, uint32_t meeting, Block body);
/// Lanes have ended: whoever waits on top of the stack goes on.
void emit_dispatch(Emitter& e);
/// Behind each call that was inlined, for the lanes that come back.
void emit_returns(Emitter& e);
/// The guard as i1, or as 32 x i1.
V guard_of(Emitter& e, const Step& step);

}  // namespace warpledger::exec::jit
