// registers/: which registers machine code reads and writes, which values are alive where, and
// which instruction's result each instruction uses.
//
//   operands.h    one instruction: the registers that it reads and writes
//   flow.h        from instruction to instruction, through ptxas's subroutines too
//   liveness.h    registers that hold a value that is still needed
//   producers.h   the instructions whose results an instruction reads
//   scoreboards.h the instructions that a wait is for
//   live_code.h   all of it for a kernel
//
// An instruction whose operands are not known makes the answer unknown: nothing is guessed. What
// nvdisasm prints with --print-life-ranges is the judge (tests/system/sass_toolkit).
#pragma once

#include <compare>
#include <optional>

#include "warpledger/sass/code.h"

namespace warpledger::sass {

/// R, P, UR and UP.
enum class RegisterFile : uint8_t { kGeneral, kPredicate, kUniform, kUniformPredicate };

struct Register {
  RegisterFile file = RegisterFile::kGeneral;
  uint16_t number = 0;
  friend auto operator<=>(const Register&, const Register&) = default;
};
/// "R12", "UP0".
[[nodiscard]] std::string to_text(const Register& which);

/// Registers that are always 0 or true (RZ, PT, URZ, UPT) hold no value and are left out.
struct RegisterUse {
  std::vector<Register> reads = {}, writes = {};
  /// A guard may leave the old value in place: the result is then of either.
  bool is_guarded = false;
};

/// Nothing where the opcode, or the size of its operands, is not known here.
[[nodiscard]] std::optional<RegisterUse> registers_of(const Instruction& instruction);

}  // namespace warpledger::sass
