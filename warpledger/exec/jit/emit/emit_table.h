// LLVM. The emitters of lowerings.def, each of which compiles the step that is at Emitter::pc.
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

#define LOWERING(op, can_lower, emit) void emit(Emitter& e, const Step& step);
#include "warpledger/exec/jit/analysis/lowerings.def"
#undef LOWERING

/// By the row's emitter; by the interpreter's function where the step has no row.
void emit_by_table(Emitter& e, const Step& step);

}  // namespace warpledger::exec::jit
