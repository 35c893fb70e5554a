// Native code from kernels. One Compiler serves many launches: what it compiled it keeps, in memory
// and, where it has a folder, on disk by content.
#pragma once

#include <memory>
#include <string>

#include "warpledger/exec/jit/analysis.h"
#include "warpledger/exec/jit/warp_context.h"

namespace warpledger::exec::jit {

struct CompileOptions {
  bool record = false;
  bool count = false;  // per block and guarded step: executions and lanes
};

struct CompiledKernel {
  KernelFunction function = nullptr;
  double seconds = 0;  // to make it; 0 when it was there already
  bool from_disk = false;
};

class Compiler {
 public:
  /// Fails when warpledger was built without LLVM, or the host has no code generator. With a
  /// folder, compiled code is kept there; it is made when it does not exist.
  [[nodiscard]] static Result<std::unique_ptr<Compiler>> create(std::string folder = {});
  virtual ~Compiler() = default;

  [[nodiscard]] virtual Result<CompiledKernel> compile(const Analysis& analysis,
                                                       const CompileOptions& options) = 0;
};

}  // namespace warpledger::exec::jit
