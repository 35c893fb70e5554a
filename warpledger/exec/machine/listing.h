// The machine instructions of a launch as nvdisasm prints them, for those who describe what ran.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpledger/sass/code.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::exec::machine {

/// Numbered as exec::Engine::instruction_counts(): the kernel's section first, then those of the
/// functions that it may call.
struct Listing {
  struct Function {
    std::string name;
    uint32_t first = 0, end = 0;  // numbers of its instructions
  };
  std::shared_ptr<const std::string> bytes;  // of the cubin
  std::string kernel;                        // its name in the cubin
  /// Addresses and targets grow from section to section: no two instructions share one.
  std::vector<sass::Instruction> code;
  std::vector<uint64_t> offsets;                       // of each instruction in its section
  std::vector<Function> functions;                     // by `first`: the kernel, subroutines
  std::map<uint64_t, std::vector<uint64_t>> indirect;  // where each BRX may lead, by address
};

/// One instruction as a line: "@P0 LDG.E R2, [R4.64+0x10]".
[[nodiscard]] std::string to_text(const sass::Instruction& instruction);

}  // namespace warpledger::exec::machine
