// Machine code as nvdisasm prints it (`nvdisasm -c`): functions of instructions with operands as
// text. Any nvdisasm from CUDA 11 on; its JSON form exists only since 13.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::sass {

struct Instruction {
  std::string predicate;  // "@P0", "@!PT"; empty when there is none
  std::string opcode;     // "IMAD.WIDE.U32"
  std::vector<std::string> operands;
  /// The opcode up to its first dot.
  [[nodiscard]] std::string base() const { return opcode.substr(0, opcode.find('.')); }
  [[nodiscard]] bool has(std::string_view modifier) const;
};

struct Function {
  std::string name;
  std::vector<Instruction> instructions;
};

[[nodiscard]] Result<std::vector<Function>> read_listing(std::string_view listing);

/// One instruction as printed, e.g. "@P0 LDG.E R2, [R4.64+0x10]"; nothing when it is none.
[[nodiscard]] Instruction read_instruction(std::string_view text);

}  // namespace warpledger::sass
