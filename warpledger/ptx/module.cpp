#include "warpledger/ptx/module.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::ptx {

uint64_t Variable::element_bytes() const {
  return static_cast<uint64_t>(width) *
         std::max<uint64_t>(1, static_cast<uint64_t>(bits(type)) / 8);
}

uint64_t Variable::bytes() const {
  if (is_unsized) return 0;
  uint64_t total = element_bytes();
  for (const uint64_t extent : dimensions) total *= extent;
  return total;
}

uint32_t Variable::alignment() const {
  return align != 0 ? align : static_cast<uint32_t>(element_bytes());
}

std::string_view to_text(DirectiveKind kind) {
  constexpr std::array kNames = {".maxntid",         ".reqntid",        ".minnctapersm",
                                 ".maxnctapersm",    ".maxnreg",        ".reqnctapercluster",
                                 ".explicitcluster", ".maxclusterrank", ".blocksareclusters",
                                 ".noreturn",        ".abi_preserve",   ".abi_preserve_control",
                                 ".pragma"};
  return kNames[static_cast<size_t>(kind)];
}

uint32_t Function::register_count() const {
  return registers.empty() ? 0 : registers.back().first + registers.back().count;
}

const RegisterRange& Function::range_of(uint32_t reg) const {
  const auto after = std::ranges::upper_bound(registers, reg, {}, &RegisterRange::first);
  WL_CHECK(after != registers.begin());
  return *(after - 1);
}

std::string Function::register_name(uint32_t reg) const {
  const RegisterRange& range = range_of(reg);
  if (!range.is_numbered) return std::string(range.prefix);
  return fmt::format("{}{}", range.prefix, reg - range.first);
}

const SourceLocation* Function::location_of(const Instruction& instruction) const {
  return instruction.location == 0 ? nullptr : &locations[instruction.location - 1];
}

const Function* Module::find(std::string_view name) const {
  const Function* declared = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (function.has_body) return &function;
    declared = &function;
  }
  return declared;
}

std::string_view Module::file_name(uint32_t number) const {
  for (const SourceFile& file : files) {
    if (file.number == number) return file.name;
  }
  return {};
}

}  // namespace warpledger::ptx
