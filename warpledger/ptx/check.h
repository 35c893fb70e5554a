// Does an instruction's operand list fit its opcode's form? Asked by the parser for every
// instruction, so that nobody after it needs to.
#pragma once

#include <optional>
#include <string>

#include "warpledger/ptx/module.h"

namespace warpledger::ptx {

struct OperandFault {
  Span where;
  std::string message;
  std::string hint;
  std::string code;
};

/// The first fault of `instruction`, whose operands are already in function.operands. Labels may
/// still be unresolved.
[[nodiscard]] std::optional<OperandFault> check_operands(const Module& module,
                                                         const Function& function,
                                                         const Instruction& instruction);

}  // namespace warpledger::ptx
