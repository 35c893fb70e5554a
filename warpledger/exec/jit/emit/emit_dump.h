// LLVM. What the compiler made of a kernel, written to files. The folder is made where it is not
// there.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "warpledger/base/result.h"

namespace warpledger::exec::jit {

[[nodiscard]] Status write_ir(const llvm::Module& module, const std::string& path);
[[nodiscard]] Status write_assembly(const llvm::Module& module, llvm::TargetMachine& machine,
                                    const std::string& path);

}  // namespace warpledger::exec::jit
