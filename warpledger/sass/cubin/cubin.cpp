#include "warpledger/sass/cubin/cubin.h"

#include <algorithm>
#include <functional>
#include <string>

namespace warpledger::sass {
namespace {

// Attributes of .nv.info as `cuobjdump -elf` names them (EIATTR_...).
enum Attribute : uint64_t {
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kMaxStackSize = 0x23,
  kRegisterCount = 0x2f,
  kIndirectBranchTargets = 0x34,
  kLargeParameter = 0x45,
};
constexpr uint64_t kSizedValue = 4;  // EIFMT_SVAL: a length, then as many bytes
constexpr uint8_t kEntryBit = 0x10;  // STO_CUDA_ENTRY in a symbol's st_other

using OnAttribute = std::function<void(uint64_t attribute, std::string_view value)>;

/// Every attribute with a sized value; stops where a length leads out of the section.
void each_attribute(std::string_view bytes, const OnAttribute& take) {
  for (uint64_t at = 0; at + 4 <= bytes.size();) {
    const uint64_t format = read_number(bytes, at, 1), size = read_number(bytes, at + 2, 2);
    if (format != kSizedValue) {
      at += 4;
      continue;
    }
    if (size > bytes.size() - at - 4) return;
    take(read_number(bytes, at + 1, 1), bytes.substr(at + 4, size));
    at += 4 + size;
  }
}

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

/// .nv.info of the module: pairs (symbol, value).
void read_module_info(const Elf& elf, std::vector<CubinFunction>& functions) {
  each_attribute(elf.sections[elf.find(".nv.info")].bytes,
                 [&](uint64_t attribute, std::string_view value) {
                   const uint64_t symbol = read_number(value, 0, 4);
                   if (value.size() < 8 || symbol >= elf.symbols.size()) return;
                   for (CubinFunction& function : functions) {
                     if (function.name != elf.symbols[symbol].name) continue;
                     if (auto* field = field_of(function, attribute))
                       *field = static_cast<uint32_t>(read_number(value, 4, 4));
                   }
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

void read_function_info(const Elf& elf, CubinFunction& function) {
  const std::string name(function.name);
  each_attribute(elf.sections[elf.find(".nv.info." + name)].bytes,
                 [&](uint64_t attribute, std::string_view value) {
                   const auto number = static_cast<uint32_t>(read_number(value, 0, 4));
                   if (value.size() < 4) return;
                   if (attribute == kIndirectBranchTargets) read_targets(value, function);
                   if (attribute == kMaxStackSize) function.max_stack_bytes = number;
                   if (attribute == kParameter || attribute == kLargeParameter)
                     read_parameter(attribute, value, function);
                 });
  std::sort(function.parameters.begin(), function.parameters.end(),
            [](const CubinParameter& a, const CubinParameter& b) { return a.ordinal < b.ordinal; });
  function.static_shared_bytes = elf.sections[elf.find(".nv.shared." + name)].size;
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
  for (CubinFunction& function : cubin.functions) read_function_info(cubin.elf, function);
  if (const size_t lines = cubin.elf.find(".nv_debug_line_sass"); lines != 0) {
    WL_TRY(cubin.ptx_lines, read_line_table(cubin.elf, lines));
    cubin.has_ptx_lines = true;
  }
  return cubin;
}

}  // namespace warpledger::sass
