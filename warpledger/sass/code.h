// Machine code as nvdisasm prints it: functions of instructions with operands as text. Two forms:
// `nvdisasm -c` of any version since CUDA 11, and `nvdisasm -json`, which exists only since 13.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::sass {

/// What ptxas tells the scheduler: how long to wait and for what. Sm_70 and later keep it in bits
/// 105 to 125 of an instruction (Jia et al., «Dissecting the NVIDIA Volta GPU Architecture», 2018).
struct Control {
  uint8_t stall = 1;      // cycles until the warp may issue its next instruction
  uint8_t sets = kNone;   // the scoreboard that is released when the result is written
  uint8_t reads = kNone;  // the scoreboard that is released when the operands have been read
  uint8_t waits = 0;      // a bit for each scoreboard that must be free before this one issues
  uint8_t reuse = 0;      // a bit for each source operand that stays in the operand cache
  bool keeps = false;     // the scheduler should stay with this warp; else it may yield to another
  static constexpr uint8_t kNone = 7;
  static constexpr size_t kScoreboards = 6;
  friend bool operator==(const Control&, const Control&) = default;
};
/// Of the upper 64 bits of an instruction.
[[nodiscard]] Control read_control(uint64_t upper);

struct Instruction {
  std::string predicate;  // "@P0", "@!PT"; empty when there is none
  std::string opcode;     // "IMAD.WIDE.U32"
  std::vector<std::string> operands;
  uint64_t address = 0;                 // in its section
  std::optional<uint64_t> target = {};  // where a branch leads, as an address in its section
  std::optional<Control> control = {};  // absent where only a listing was read
  /// The opcode up to its first dot.
  [[nodiscard]] std::string base() const { return opcode.substr(0, opcode.find('.')); }
  [[nodiscard]] bool has(std::string_view modifier) const;
};

struct Function {
  std::string name;
  std::vector<Instruction> instructions;
};

/// `nvdisasm -c`: a function per section of code, so that ptxas's subroutines are part of their
/// kernel.
[[nodiscard]] Result<std::vector<Function>> read_listing(std::string_view listing);

/// `nvdisasm -json`: ptxas's subroutines are functions of their own, with addresses in the section
/// that they share with their kernel.
[[nodiscard]] Result<std::vector<Function>> read_json_listing(std::string_view json);

/// Operands between commas; commas inside brackets belong to one operand.
[[nodiscard]] std::vector<std::string> split_operands(std::string_view text);

/// "0x1f0" or "31"; nothing when the text is something else.
[[nodiscard]] std::optional<uint64_t> read_address(std::string_view text);

/// "DEPBAR.LE SB0, 0x1": waits until at most `left` groups of asynchronous copies are under way.
struct GroupWait {
  uint8_t scoreboard = 0, left = 0;
  friend bool operator==(const GroupWait&, const GroupWait&) = default;
};
[[nodiscard]] std::optional<GroupWait> group_wait_of(const Instruction& instruction);

/// One instruction as printed, e.g. "@P0 LDG.E R2, [R4.64+0x10]"; nothing when it is none.
[[nodiscard]] Instruction read_instruction(std::string_view text);

}  // namespace warpledger::sass
