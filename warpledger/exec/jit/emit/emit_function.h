// LLVM. A kernel to one LLVM function, and what is done to that before machine code is made of it.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <string>

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// The kernel as a function of `module`, a KernelFunction named `name`.
void emit_function(const Analysis& analysis, llvm::Module& module, const Mode& mode,
                   const std::string& name);
/// emit_passes.cpp.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool quick);

}  // namespace warpledger::exec::jit
