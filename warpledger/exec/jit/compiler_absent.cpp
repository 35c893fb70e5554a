// Built where LLVM is not: the one function of compiler.h says so.
#include "warpledger/exec/jit/compiler.h"

namespace warpledger::exec::jit {

Result<std::unique_ptr<Compiler>> Compiler::create(std::string) {
  return Diagnostic{.message = "this warpledger was built without LLVM and has no JIT",
                    .hint = "install LLVM 19's development files and build again",
                    .code = "no-jit"};
}

}  // namespace warpledger::exec::jit
