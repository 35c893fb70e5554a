#include "warpledger/exec/machine/program.h"

#include <algorithm>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

/// Sections begin at multiples of this, so that no code runs into the next.
constexpr uint64_t kSectionStep = 0x1000;
constexpr uint32_t kNoInstruction = ~0U;

struct Spelled {
  const Row* row = nullptr;
  Modifiers modifiers;
};

/// The row of "IMAD.WIDE.U32" with its modifiers; no row where one of them is not allowed.
Spelled spell(std::string_view opcode) {
  size_t dot = std::min(opcode.find('.'), opcode.size());
  Spelled spelled{.row = find_row(opcode.substr(0, dot))};
  while (dot < opcode.size() && spelled.row != nullptr) {
    const size_t end = std::min(opcode.find('.', dot + 1), opcode.size());
    const auto modifier = find_modifier(opcode.substr(dot + 1, end - dot - 1));
    if (!modifier || !spelled.row->allows(*modifier)) return {};
    spelled.modifiers.add(*modifier);
    dot = end;
  }
  return spelled;
}

void read_guard(std::string_view text, Instruction& instruction) {
  if (text.starts_with('@')) text.remove_prefix(1);
  if (text.starts_with('!')) {
    instruction.guard_inverted = true;
    text.remove_prefix(1);
  }
  instruction.guard_is_uniform = text.starts_with('U');
  if (instruction.guard_is_uniform) text.remove_prefix(1);
  if (text.size() == 2 && text[1] >= '0' && text[1] <= '6')
    instruction.guard = static_cast<uint8_t>(text[1] - '0');
}

/// Half-precision immediates are printed as a pair and stand in one word.
void join_half_immediates(std::vector<Operand>& operands) {
  const auto both =
      std::adjacent_find(operands.begin(), operands.end(), [](const Operand& a, const Operand& b) {
        return a.kind == OperandKind::kImmediate && b.kind == OperandKind::kImmediate;
      });
  if (both != operands.end()) operands.erase(both + 1);
}

/// "R4 `(.L_x_1)" is an operand and a target.
std::string_view before_target(std::string_view text) {
  const size_t target = text.find(" `(");
  return target == std::string_view::npos ? text : text.substr(0, target);
}

/// The address of the function that an operand names: "`(f)".
std::optional<uint64_t> named_target(const sass::Cubin& cubin, const Program& program,
                                     const sass::Instruction& printed) {
  if (printed.operands.empty()) return {};
  const std::string& last = printed.operands.back();
  const size_t open = last.find("`(");
  if (open == std::string::npos || !last.ends_with(')')) return {};
  const sass::CubinFunction* function = cubin.find(last.substr(open + 2, last.size() - open - 3));
  if (function == nullptr) return {};
  const auto section = program.sections.find(function->section);
  if (section == program.sections.end()) return {};
  return section->second + function->offset;
}

/// ".E" means a 64-bit address, whether or not ".64" is printed.
void widen_addresses(Instruction& instruction) {
  if (!instruction.has(Modifier::kE)) return;
  Operand* address = nullptr;
  for (Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kAddress) address = &operand;
  }
  if (address != nullptr && !address->base_is_32) address->wide = true;
}

Instruction decode_one(const sass::Instruction& printed, uint64_t base, uint32_t immediate) {
  Instruction instruction{.address = base + printed.address, .text = printed.opcode};
  for (const std::string& operand : printed.operands) instruction.text += " " + operand;
  if (printed.target) instruction.target = base + *printed.target;
  read_guard(printed.predicate, instruction);
  Spelled spelled = spell(printed.opcode);
  if (spelled.row == nullptr) return instruction;
  instruction.modifiers = std::move(spelled.modifiers);
  for (const std::string& text : printed.operands) {
    auto operand = read_operand(before_target(text), immediate, spelled.row->is_float);
    if (!operand) return instruction;
    instruction.operands.push_back(*std::move(operand));
    if (text.find("(*") != std::string::npos) break;  // a note of nvdisasm's, commas and all
  }
  widen_addresses(instruction);
  if (spelled.row->is_half) join_half_immediates(instruction.operands);
  instruction.row = spelled.row;
  return instruction;
}

}  // namespace

std::optional<Modifier> find_modifier(std::string_view text) {
  static const std::map<std::string_view, Modifier> known = {
#define WL_MODIFIER(name, spelling) {spelling, Modifier::name},
#include "warpledger/exec/machine/modifiers.def"
#undef WL_MODIFIER
  };
  const auto found = known.find(text);
  return found == known.end() ? std::optional<Modifier>() : found->second;
}

std::map<uint16_t, uint64_t> place_code(const sass::Cubin& cubin) {
  std::map<uint16_t, uint64_t> places;
  uint64_t next = kMachineCode;
  for (size_t i = 0; i < cubin.elf.sections.size(); ++i) {
    if (!cubin.elf.sections[i].name.starts_with(".text")) continue;
    places[static_cast<uint16_t>(i)] = next;
    next += (cubin.elf.sections[i].size / kSectionStep + 1) * kSectionStep;
  }
  return places;
}

Program decode(const sass::Cubin& cubin, const std::vector<sass::Function>& listing,
               const std::map<uint16_t, std::string>& bytes_of) {
  Program program{.sections = place_code(cubin)};
  for (const sass::Function& function : listing) {
    const auto section = static_cast<uint16_t>(cubin.elf.find(".text." + function.name));
    const auto place = program.sections.find(section);
    const auto bytes = bytes_of.find(section);
    if (place == program.sections.end() || bytes == bytes_of.end()) continue;
    for (const sass::Instruction& printed : function.instructions) {
      const auto immediate =
          static_cast<uint32_t>(sass::read_number(bytes->second, printed.address + 4, 4));
      program.instructions.push_back(decode_one(printed, place->second, immediate));
      std::optional<uint64_t>& target = program.instructions.back().target;
      if (!target) target = named_target(cubin, program, printed);
    }
  }
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const uint64_t at = (program.instructions[i].address - kMachineCode) / kInstructionBytes;
    if (program.index.size() <= at) program.index.resize(at + 1, kNoInstruction);
    program.index[at] = i;
  }
  return program;
}

std::optional<uint32_t> Program::find(uint64_t address) const {
  const uint64_t at = (address - kMachineCode) / kInstructionBytes;
  if (address % kInstructionBytes != 0 || at >= index.size()) return {};
  return index[at] == kNoInstruction ? std::optional<uint32_t>() : index[at];
}

}  // namespace warpledger::exec::machine
