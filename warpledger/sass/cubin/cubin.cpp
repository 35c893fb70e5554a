#include "warpledger/sass/cubin/cubin.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "warpledger/sass/cubin/attributes.h"

namespace warpledger::sass {
namespace {

constexpr uint8_t kEntryBit = 0x10;  // STO_CUDA_ENTRY in a symbol's st_other

std::optional<uint32_t>* field_of(CubinFunction& function, uint64_t attribute) {
  switch (attribute) {
    case kFrameSize:
      return &function.frame_bytes;
    case kMinStackSize:
      return &function.min_stack_bytes;
    case kMaxStackSize:
      return &function.max_stack_bytes;
    case kRegisterCount:
      return &function.registers;
    default:
      return nullptr;
  }
}

using SectionNumbers = std::unordered_map<std::string_view, size_t>;  // by name, the first of each

SectionNumbers number_sections(const Elf& elf) {
  SectionNumbers numbers;
  for (size_t i = 0; i < elf.sections.size(); ++i) numbers.try_emplace(elf.sections[i].name, i);
  return numbers;
}

/// As Elf::find(), for cubins of thousands of sections.
const ElfSection& section_named(const Elf& elf, const SectionNumbers& numbers,
                                const std::string& name) {
  const auto found = numbers.find(name);
  return elf.sections[found == numbers.end() ? 0 : found->second];
}

/// .nv.info of the module: pairs (symbol, value).
void read_module_info(const Elf& elf, std::vector<CubinFunction>& functions) {
  std::unordered_multimap<std::string_view, CubinFunction*> by_name;
  for (CubinFunction& function : functions) by_name.emplace(function.name, &function);
  each_attribute(elf.sections[elf.find(".nv.info")].bytes, [&](const Attribute& attribute) {
    const uint64_t symbol = read_number(attribute.value, 0, 4);
    if (!is_of_function(attribute) || symbol >= elf.symbols.size()) return;
    const auto [first, end] = by_name.equal_range(elf.symbols[symbol].name);
    for (auto at = first; at != end; ++at)
      if (auto* field = field_of(*at->second, attribute.number))
        *field = static_cast<uint32_t>(read_number(attribute.value, 4, 4));
  });
}

/// Entries of {address, reserved, number of targets, targets}, 4 bytes each.
void read_targets(std::string_view value, CubinFunction& function) {
  for (uint64_t at = 0; at + 12 <= value.size();) {
    const uint64_t branch = read_number(value, at, 4), count = read_number(value, at + 8, 4);
    at += 12;
    if (count > (value.size() - at) / 4) return;
    std::vector<uint64_t>& targets = function.indirect_targets[branch];
    for (uint64_t i = 0; i < count; ++i, at += 4) targets.push_back(read_number(value, at, 4));
  }
}

/// {index, ordinal in 2 bytes, offset in 2 bytes, a word whose bits from 18 on are the size}. The
/// second form has the size in 4 bytes of its own.
void read_parameter(uint64_t attribute, std::string_view value, CubinFunction& function) {
  if (value.size() < 12) return;
  constexpr uint64_t kSizeBit = 18;
  const uint64_t word = read_number(value, 8, 4);
  function.parameters.push_back(
      {.ordinal = static_cast<uint32_t>(read_number(value, 4, 2)),
       .offset = read_number(value, 6, 2),
       .bytes = attribute == kParameter ? word >> kSizeBit : read_number(value, 8, 4)});
}

/// sm_90 and its successors count 1 KB at the start of shared memory that belongs to the system.
uint64_t system_shared_bytes(int architecture) { return architecture >= 90 ? 1024 : 0; }

void read_function_info(const Elf& elf, const SectionNumbers& numbers, int architecture,
                        CubinFunction& function) {
  const std::string name(function.name);
  each_attribute(section_named(elf, numbers, ".nv.info." + name).bytes, [&](const Attribute& one) {
    const auto number = static_cast<uint32_t>(read_number(one.value, 0, 4));
    if (one.value.size() < 4) return;
    if (one.number == kIndirectBranchTargets) read_targets(one.value, function);
    if (one.number == kMaxStackSize) function.max_stack_bytes = number;
    if (one.number == kParameterBank && one.value.size() >= 8)
      function.parameters_at = static_cast<uint32_t>(read_number(one.value, 4, 2));
    if (one.number == kParameter || one.number == kLargeParameter)
      read_parameter(one.number, one.value, function);
  });
  std::sort(function.parameters.begin(), function.parameters.end(),
            [](const CubinParameter& a, const CubinParameter& b) { return a.ordinal < b.ordinal; });
  const uint64_t shared = section_named(elf, numbers, ".nv.shared." + name).size;
  function.static_shared_bytes = shared - std::min(shared, system_shared_bytes(architecture));
}

std::vector<CubinFunction> find_functions(const Elf& elf) {
  std::vector<CubinFunction> functions;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type != kFunctionSymbol || symbol.section == 0) continue;
    if (symbol.section >= elf.sections.size()) continue;
    functions.push_back({.name = symbol.name,
                         .section = symbol.section,
                         .offset = symbol.value,
                         .bytes = symbol.size,
                         .is_entry = (symbol.other & kEntryBit) != 0});
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const CubinFunction& a, const CubinFunction& b) {
                     return std::pair(a.section, a.offset) < std::pair(b.section, b.offset);
                   });
  return functions;
}

/// In the ELF header's flags: since version 8 of the ABI in bits 8 to 15, before in the lowest.
int architecture_of(std::string_view bytes, const Elf& elf) {
  constexpr uint64_t kAbiVersionAt = 8, kShifted = 8;
  const bool is_shifted = read_number(bytes, kAbiVersionAt, 1) >= kShifted;
  return static_cast<int>((is_shifted ? elf.flags >> 8 : elf.flags) & 0xff);
}

}  // namespace

const CubinFunction* Cubin::find(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(),
                   [name](const CubinFunction& function) { return function.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

Result<Cubin> read_cubin(std::string_view bytes) {
  Cubin cubin;
  WL_TRY(cubin.elf, read_elf(bytes));
  if (cubin.elf.sections.empty())
    return Diagnostic{.message = "the cubin has no sections", .code = "bad-cubin"};
  cubin.architecture = architecture_of(bytes, cubin.elf);
  cubin.functions = find_functions(cubin.elf);
  read_module_info(cubin.elf, cubin.functions);
  const SectionNumbers numbers = number_sections(cubin.elf);
  for (CubinFunction& function : cubin.functions)
    read_function_info(cubin.elf, numbers, cubin.architecture, function);
  if (const size_t lines = cubin.elf.find(".nv_debug_line_sass"); lines != 0) {
    WL_TRY(cubin.ptx_lines, read_line_table(cubin.elf, lines));
    cubin.has_ptx_lines = true;
  }
  return cubin;
}

}  // namespace warpledger::sass
