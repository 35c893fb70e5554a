// Native code from kernels. The compiler is all that knows LLVM and lives in a library of its own,
// libwarpledger_jit.so, which is loaded when the first kernel is compiled: linked into every
// command, libLLVM would double the time they take to start.
#pragma once

#include <span>
#include <string>

#include "warpledger/exec/jit/analysis/analysis.h"
#include "warpledger/exec/jit/runtime/dump.h"
#include "warpledger/exec/jit/runtime/fiber.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {

struct CompileOptions {
  bool record = false;
  bool count = false;                  // per block and guarded step: executions and lanes
  bool quick = false;                  // compiled in a fraction of the time, to code that is slow
  const Deadline* deadline = nullptr;  // fails with kTimeLimit when it passes first
  size_t most_frame_bytes = StackPool::kMostFrameBytes;  // fails with kInterpreter above
  Dump dump;                                             // what is written to files besides
};

/// Names and addresses of what compiled code calls, for the linker.
struct RuntimeFunction {
  const char* name;
  void* address;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// A relocatable object file that defines `name`, a KernelFunction.
  [[nodiscard]] virtual Result<std::string> compile(const Analysis& analysis,
                                                    const CompileOptions& options,
                                                    const std::string& name) = 0;
  /// Such a file in memory, ready to be called. Linking a name again gives the same function.
  [[nodiscard]] virtual Result<void*> link(const std::string& object, const std::string& name) = 0;
};

/// The library's entry points. wl_jit_version() is asked first: nothing else is called when it
/// differs from library_version(). The functions given to wl_jit_open() are those that compiled
/// code calls; the library has none of its own. Null on failure, which `why` then describes.
using VersionFunction = const char* (*)();
using OpenFunction = Compiler* (*)(std::span<const RuntimeFunction> functions, Diagnostic& why);
inline constexpr const char* kVersionSymbol = "wl_jit_version";
inline constexpr const char* kOpenSymbol = "wl_jit_open";

/// What both sides of the seam must have in common: the sources, and the compiler that laid out
/// their structures.
[[nodiscard]] std::string library_version();
/// The hash of the sources that decide what compiled code looks like.
[[nodiscard]] const char* code_version();

/// The process's compiler; loads the library at the first call. Fails with code "no-jit" when it
/// is not there or is another version's.
[[nodiscard]] Result<Compiler*> load_compiler();
/// Where it is looked for: $WARPLEDGER_PLUGINS, then around the program or library that asks.
[[nodiscard]] std::vector<std::string> plugin_folders();
/// Its file there, whether it can be loaded or not; "" where there is none.
[[nodiscard]] std::string find_plugin();

}  // namespace warpledger::exec::jit
