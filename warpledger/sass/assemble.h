// From PTX to machine code that knows its PTX lines: `ptxas -lineinfo` on the text as it stands,
// `nvdisasm` on what comes out. Both are slow (tens of milliseconds to seconds), so results are
// kept by content for as long as the process runs.
//
// -lineinfo does not change the code: compared byte by byte over 978 sections of 281 files.
#pragma once

#include <map>
#include <memory>

#include "warpledger/ptx/module.h"
#include "warpledger/sass/code.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// A cubin with its listing. `cubin` points into `bytes`.
struct Binary {
  std::shared_ptr<const std::string> bytes;
  Cubin cubin;
  /// By section of code, in order of addresses; a kernel's subroutines stand in its section.
  std::map<uint16_t, std::vector<Instruction>> code;
};

/// The listing of a cubin, by nvdisasm's JSON where it has one, else by its text.
[[nodiscard]] Result<Binary> disassemble(std::string cubin);

struct Assembly {
  ptx::Module module;  // with the lines that the machine code speaks of
  std::string arch;
  std::string ptxas;  // the program that took it
  Binary binary;
};

/// "sm_90a" for a module of .target sm_90a.
[[nodiscard]] std::string default_arch(const ptx::Module& module);

/// Whether each instruction has lines of its own, shared with no other and with no brace: what the
/// line table needs. Otherwise the module is printed anew, one statement a line.
[[nodiscard]] bool has_own_lines(const ptx::Module& module);

/// `module` for `arch` by the first ptxas that takes it. Instruction indices stay those of
/// `module`.
[[nodiscard]] Result<std::shared_ptr<const Assembly>> assemble(const ptx::Module& module,
                                                               const std::string& arch);

}  // namespace warpledger::sass
