// Compiled kernels by content: in memory and, where there is a folder, on disk. The compiler is
// asked for, and loaded for, what is in neither.
#pragma once

#include <map>
#include <mutex>

#include "warpledger/exec/decode/code_uses.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/exec/jit/runtime/object.h"

namespace warpledger::exec::jit {

struct CompiledKernel {
  KernelFunction function = nullptr;
  double seconds = 0;  // of processor time, to compile or to link; 0 when it was in memory
  bool from_disk = false;
};

class CodeCache {
 public:
  static constexpr size_t kMostFiles = 4096;
  /// The folder is made when the first code is kept there; empty: nothing is. It may be shared
  /// by processes and holds at most kMostFiles kernels, the newest.
  explicit CodeCache(std::string folder = {}) : folder_(std::move(folder)) {}
  /// Compile quickly, to slow code, from now on (CompileOptions::quick).
  void hurry() { quick_ = true; }

  /// `text` is all that the code follows from besides the options (see kernel_text()).
  [[nodiscard]] Result<CompiledKernel> find(const std::string& text, const Analysis& analysis,
                                            CompileOptions options);
  [[nodiscard]] CodeUses uses() const;

 private:
  [[nodiscard]] Result<void*> link(const std::string& object, const std::string& name);

  std::string folder_;
  bool quick_ = false;
  mutable std::mutex mutex_;
  CodeUses uses_;
  std::vector<LoadedObject> objects_;
  std::map<std::string, KernelFunction> kernels_;
};

/// The process's cache for that folder.
[[nodiscard]] CodeCache& shared_code_cache(const std::string& folder);

/// What compiled code follows from besides options: the kernel's PTX, the operands that it was
/// decoded to (and with them where every variable lies), and the shape of a block.
[[nodiscard]] std::string kernel_text(const Analysis& analysis, const ptx::Module& module);

}  // namespace warpledger::exec::jit
