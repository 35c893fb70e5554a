// LLVM. Lanes of machine code that go on by address (analysis/by_address.h): the runtime knows who
// waits where, and is asked where some may come before those that run.
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// Where lanes of `from` go on at `to`: there, or to those whose turn it is. In other kernels:
/// there.
[[nodiscard]] Block way(Emitter& e, uint32_t from, uint32_t to);
/// Lanes that part: by block, who goes on there. Those whose turn it is do.
void part_by_address(Emitter& e, const std::map<uint32_t, V>& lanes);
/// All lanes that were here have ended or wait: those go on whose turn it is.
void run_next(Emitter& e);
/// BSYNC and WARPSYNC, at the block's end.
void emit_convergence_wait(Emitter& e, uint32_t block, const Step& step);
/// What else a step does to the order, or asks of it: then that is all it does.
bool emit_convergence(Emitter& e, const Step& step);
/// Goes to the lanes whose turn it is.
void emit_turns(Emitter& e);

}  // namespace warpledger::exec::jit
