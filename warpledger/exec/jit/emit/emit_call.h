// LLVM. Calls: of the interpreter's functions for what has no lowering, and of the runtime.
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// The interpreter's function executes the step that is being emitted, or the runtime's `name`,
/// which takes `more` besides.
void emit_interpreted(Emitter& e, const Step& step, const char* name = nullptr,
                      const std::vector<V>& more = {});
V call_runtime(Emitter& e, const char* name, llvm::Type* result, std::vector<V> arguments);
/// Functions that may record, let other warps run, or fail: then they answer 1 and the warp is
/// over.
void call_or_leave(Emitter& e, const char* name, std::vector<V> arguments);
void define_pattern_function(Emitter& e);
void set_host_attributes(llvm::Function* function);

}  // namespace warpledger::exec::jit
