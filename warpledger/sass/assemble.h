// sass/: machine code. This room reads cubins and what nvdisasm prints of them, and says what
// became of PTX memory instructions (`witness/`). It asks toolchain/ to run NVIDIA's programs. It
// must not know what the code is for: layouts, counters and kernels live elsewhere.
//
// From PTX to machine code that knows its PTX lines: `ptxas -lineinfo` on the text as it stands,
// `nvdisasm` on what comes out. Both are slow (tens of milliseconds to seconds): for a text and an
// architecture each runs once, and what it answered, failures included, is kept for as long as the
// process runs, or until another ptxas or nvdisasm is installed.
#pragma once

#include <map>
#include <memory>

#include "warpledger/ptx/module.h"
#include "warpledger/sass/code.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// What ptxas made of a module: a cubin, read once. `cubin` points into `bytes`.
struct Object {
  ptx::Module module;  // with the lines that the machine code speaks of
  std::string arch;
  std::string ptxas;  // the program that took it
  std::shared_ptr<const std::string> bytes;
  Cubin cubin;
};

/// A cubin with its listing. `cubin` points into `bytes`.
struct Binary {
  std::shared_ptr<const std::string> bytes;
  Cubin cubin;
  /// By section of code, in order of addresses; a kernel's subroutines stand in its section.
  std::map<uint16_t, std::vector<Instruction>> code;
};

struct Assembly {
  ptx::Module module;  // as in Object
  std::string arch;
  std::string ptxas;
  Binary binary;
};

/// "sm_90a" for a module of .target sm_90a.
[[nodiscard]] std::string default_arch(const ptx::Module& module);

/// Whether each instruction has lines of its own, shared with no other and with no brace: what the
/// line table needs. Otherwise the module is printed anew, one statement a line.
[[nodiscard]] bool has_own_lines(const ptx::Module& module);

/// `module` for `arch` by the first ptxas that takes it. Instruction indices stay those of
/// `module`.
[[nodiscard]] Result<std::shared_ptr<const Object>> compile(const ptx::Module& module,
                                                            const std::string& arch);

/// compile() with the listing, by nvdisasm's JSON where it has one, else by its text.
[[nodiscard]] Result<std::shared_ptr<const Assembly>> assemble(const ptx::Module& module,
                                                               const std::string& arch);

}  // namespace warpledger::sass
