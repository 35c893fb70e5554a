// How many registers hold a value that is still needed, at each instruction:
//
//   alive before i = reads(i) + (alive after i - writes(i), those of a guarded write kept)
//   alive after i  = alive before any instruction that may run next
//   live at i      = alive before i + writes(i)
//
// which is nvdisasm's count. The stack pointer R1 is alive until EXIT. Uniform registers are not
// counted: listings of sm_80 to sm_89 do not show which of them describes global memory.
#pragma once

#include "warpledger/sass/registers/flow.h"
#include "warpledger/sass/registers/operands.h"

namespace warpledger::sass {

struct LiveRegisters {
  uint32_t general = 0, predicates = 0;
  friend bool operator==(const LiveRegisters&, const LiveRegisters&) = default;
};

/// Of each instruction. Law: `general` is at most the registers of the kernel.
[[nodiscard]] std::vector<LiveRegisters> live_registers(const std::vector<Instruction>& code,
                                                        const std::vector<RegisterUse>& uses,
                                                        const CodeFlow& flow);

}  // namespace warpledger::sass
