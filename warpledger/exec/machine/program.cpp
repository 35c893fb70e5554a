#include "warpledger/exec/machine/program.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

/// Sections begin at multiples of this, so that no code runs into the next.
constexpr uint64_t kSectionStep = 0x1000;
constexpr uint32_t kNoInstruction = ~0U;

struct Spelled {
  const Row* row = nullptr;
  Modifiers modifiers;
  Shape shape;
};

/// "64x32x16"; nothing else.
std::optional<Shape> read_shape(std::string_view text) {
  Shape shape;
  for (uint32_t* number : {&shape.m, &shape.n, &shape.k}) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (fault != std::errc()) return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if ((number != &shape.k) != text.starts_with('x')) return {};
    if (!text.empty()) text.remove_prefix(1);
  }
  return text.empty() ? std::optional(shape) : std::nullopt;
}

/// The row of "IMAD.WIDE.U32" with its modifiers; no row where one of them is not allowed.
Spelled spell(std::string_view opcode) {
  size_t dot = std::min(opcode.find('.'), opcode.size());
  Spelled spelled{.row = find_row(opcode.substr(0, dot))};
  while (dot < opcode.size() && spelled.row != nullptr) {
    const size_t end = std::min(opcode.find('.', dot + 1), opcode.size());
    const std::string_view word = opcode.substr(dot + 1, end - dot - 1);
    const auto modifier = find_modifier(word);
    if (modifier == Modifier::kMxNxK) spelled.shape = read_shape(word).value_or(Shape{});
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

/// Half-precision immediates are printed as a pair and stored in one word.
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
  instruction.shape = spelled.shape;
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

std::set<uint16_t> kernel_sections(const sass::Cubin& cubin) {
  std::set<uint16_t> sections;
  for (const sass::CubinFunction& function : cubin.functions)
    if (function.is_entry) sections.insert(function.section);
  return sections;
}

/// What is printed of one section, at the section's place.
void decode_section(const sass::Cubin& cubin, const sass::Function& function, uint16_t section,
                    std::string_view bytes, Program& program, Listing& listing) {
  const uint64_t base = program.sections.at(section), shift = base - kMachineCode;
  for (const sass::Instruction& printed : function.instructions) {
    const auto immediate = static_cast<uint32_t>(sass::read_number(bytes, printed.address + 4, 4));
    program.instructions.push_back(decode_one(printed, base, immediate));
    Instruction& decoded = program.instructions.back();
    if (!decoded.target) decoded.target = named_target(cubin, program, printed);
    decoded.control = sass::read_control(sass::read_number(bytes, printed.address + 8, 8));
    listing.code.push_back(printed);
    listing.offsets.push_back(printed.address);
    listing.code.back().control = decoded.control;
    listing.code.back().address += shift;
    if (printed.target) listing.code.back().target = *printed.target + shift;
  }
}

/// Kernel and functions by the numbers of their instructions; where BRX may lead.
void name_functions(const sass::Cubin& cubin, const Program& program, Listing& listing) {
  const auto number_of = [&](uint64_t address) {
    const auto found = std::find_if(listing.code.begin(), listing.code.end(),
                                    [&](const auto& one) { return one.address == address; });
    return static_cast<uint32_t>(found - listing.code.begin());
  };
  for (const sass::CubinFunction& function : cubin.functions) {
    const auto section = program.sections.find(function.section);
    if (section == program.sections.end()) continue;
    const uint64_t shift = section->second - kMachineCode;
    const uint32_t first = number_of(function.offset + shift);
    if (first == listing.code.size()) continue;
    listing.functions.push_back({.name = std::string(function.name), .first = first});
    for (const auto& [branch, targets] : function.indirect_targets)
      for (const uint64_t target : targets)
        listing.indirect[branch + shift].push_back(target + shift);
  }
  std::sort(listing.functions.begin(), listing.functions.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < listing.functions.size(); ++i) {
    const bool is_last = i + 1 == listing.functions.size();
    listing.functions[i].end =
        is_last ? static_cast<uint32_t>(listing.code.size()) : listing.functions[i + 1].first;
  }
}

}  // namespace

std::optional<Modifier> find_modifier(std::string_view text) {
  static const std::map<std::string_view, Modifier> known = {
#define WL_MODIFIER(name, spelling) {spelling, Modifier::name},
#include "warpledger/exec/machine/modifiers.def"
#undef WL_MODIFIER
  };
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  return read_shape(text) ? std::optional(Modifier::kMxNxK) : std::nullopt;
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

Program decode(const sass::Cubin& cubin, const std::vector<sass::Function>& printed,
               uint16_t kernel, const std::map<uint16_t, std::string>& bytes_of, Listing& listing) {
  Program program{.sections = place_code(cubin)};
  const std::set<uint16_t> kernels = kernel_sections(cubin);
  for (const bool own : {true, false}) {
    for (const sass::Function& function : printed) {
      const auto section = static_cast<uint16_t>(cubin.elf.find(".text." + function.name));
      const auto bytes = bytes_of.find(section);
      if (own != (section == kernel) || (!own && kernels.contains(section))) continue;
      if (!program.sections.contains(section) || bytes == bytes_of.end()) continue;
      decode_section(cubin, function, section, bytes->second, program, listing);
    }
  }
  name_functions(cubin, program, listing);
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const uint64_t at = (program.instructions[i].address - kMachineCode) / kInstructionBytes;
    if (program.index.size() <= at) program.index.resize(at + 1, kNoInstruction);
    program.index[at] = i;
  }
  return program;
}

std::string to_text(const sass::Instruction& instruction) {
  std::string text = instruction.predicate;
  text += (text.empty() ? "" : " ") + instruction.opcode;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + instruction.operands[i];
  return text;
}

std::optional<uint32_t> Program::find(uint64_t address) const {
  const uint64_t at = (address - kMachineCode) / kInstructionBytes;
  if (address % kInstructionBytes != 0 || at >= index.size()) return {};
  return index[at] == kNoInstruction ? std::optional<uint32_t>() : index[at];
}

}  // namespace warpledger::exec::machine
