#include "warpledger/exec/translate/speculate.h"

#include <algorithm>

#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;

/// Opcodes with one result and operands of single words, .WIDE and .HI aside.
constexpr std::string_view kPlain[] = {"MOV",  "IMAD", "IADD3", "LEA",  "SHF",
                                       "LOP3", "SEL",  "FADD",  "FMUL", "FFMA"};
/// The same with predicates as results.
constexpr std::string_view kComparisons[] = {"ISETP", "FSETP"};
constexpr int kUnknownWords = 8;

template <size_t n>
bool is_one_of(const Instruction& one, const std::string_view (&opcodes)[n]) {
  return std::ranges::find(opcodes, one.row->opcode) != std::end(opcodes);
}

bool moves_bytes(const Instruction& one) {
  const std::string_view opcode = one.row->opcode;
  return opcode == "LDG" || opcode == "LDS" || opcode == "STG" || opcode == "STS";
}

/// Words of the result, exactly: whoever says that a register is overwritten must not say too much.
int words_of_result(const Instruction& one) {
  if (moves_bytes(one)) return static_cast<int>(machine::width_of(one) + 3) / 4;
  return one.has(M::kWIDE) ? 2 : 1;
}

/// Words of register operand `i`, at most.
int words_of(const Instruction& one, size_t i) {
  if (moves_bytes(one)) return static_cast<int>(machine::width_of(one) + 3) / 4;
  if (is_one_of(one, kComparisons)) return 1;
  if (!is_one_of(one, kPlain)) return kUnknownWords;
  if (!one.has(M::kWIDE) && !one.has(M::kHI)) return 1;
  return i + 1 >= one.operands.size() || i >= 3 ? 2 : 1;
}

bool covers(const Operand& operand, int words, int index) {
  return operand.kind == OperandKind::kRegister && operand.index != machine::kZeroRegister &&
         operand.index <= index && index < operand.index + words;
}

/// Whether operand `i` is the result.
bool is_result(const Instruction& one, size_t i) {
  if (i != 0 || one.operands[0].kind != OperandKind::kRegister) return false;
  return is_one_of(one, kPlain) || one.row->opcode == "LDG" || one.row->opcode == "LDS";
}

bool reads(const Instruction& one, int index) {
  for (size_t i = 0; i < one.operands.size(); ++i) {
    const Operand& operand = one.operands[i];
    const int base = operand.base;
    const bool addresses =
        operand.kind == OperandKind::kAddress || operand.kind == OperandKind::kConstant;
    if (addresses && base >= 0 && base != machine::kZeroRegister && base <= index &&
        index < base + 2)
      return true;
    if (!is_result(one, i) && covers(operand, words_of(one, i), index)) return true;
  }
  return false;
}

/// Whether the instruction leaves nothing of the register's old value in any lane that is here.
bool overwrites(const Instruction& one, int index) {
  return one.guard == machine::kTruePredicate && !one.guard_inverted && !one.operands.empty() &&
         is_result(one, 0) && covers(one.operands[0], words_of_result(one), index);
}

bool writes_guard(const Instruction& one, uint8_t guard) {
  return std::ranges::any_of(one.operands, [&](const Operand& operand) {
    return operand.kind == OperandKind::kPredicate && operand.index == guard;
  });
}

/// Whether every use of the register stands under the guard, until it is overwritten.
bool is_guarded_use(const machine::Program& program, uint32_t number, uint32_t end, int index) {
  const Instruction& from = program.instructions[number];
  bool guard_holds = true;
  for (uint32_t i = number + 1; i < end; ++i) {
    const Instruction& one = program.instructions[i];
    if (one.row == nullptr) return false;
    const bool same_guard = guard_holds && one.guard == from.guard && !one.guard_is_uniform &&
                            one.guard_inverted == from.guard_inverted;
    if (reads(one, index) && !same_guard) return false;
    if (overwrites(one, index)) return true;
    if (writes_guard(one, from.guard)) guard_holds = false;  // or reads it, which is no matter
  }
  return false;
}

}  // namespace

bool may_ignore_guard(const machine::Program& program, uint32_t number, uint32_t end) {
  const Instruction& one = program.instructions[number];
  if (one.row == nullptr || one.guard == machine::kTruePredicate || one.guard_is_uniform)
    return false;
  if (!is_one_of(one, kPlain) || one.operands[0].kind != OperandKind::kRegister) return false;
  if (one.operands.size() > 1 && is_predicate(one.operands[1]) &&
      one.operands[1].index != machine::kTruePredicate)
    return false;
  if (writes_guard(one, one.guard)) return false;
  for (int word = 0; word < words_of_result(one); ++word)
    if (!is_guarded_use(program, number, end, one.operands[0].index + word)) return false;
  return one.operands[0].index != machine::kZeroRegister;
}

}  // namespace warpledger::exec::translate
