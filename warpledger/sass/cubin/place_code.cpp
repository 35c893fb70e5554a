#include "warpledger/sass/cubin/place_code.h"

#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {
namespace {

constexpr uint32_t kSymbolTable = 2;
constexpr uint64_t kSymbolBytes = 24, kSectionField = 6, kValueField = 8;  // of an Elf64_Sym
constexpr uint64_t kAlignment = 128;                                       // of code

/// By the number of the section.
std::map<uint16_t, uint64_t> addresses_of(const Elf& elf, uint64_t address) {
  std::map<uint16_t, uint64_t> addresses;
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    if (!elf.sections[i].name.starts_with(".text.")) continue;
    addresses[static_cast<uint16_t>(i)] = address;
    address += (elf.sections[i].size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return addresses;
}

void write_number(uint64_t value, uint64_t at, std::string& bytes) {
  for (size_t i = 0; i < sizeof value; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

}  // namespace

Result<PlacedCubin> place_code(const std::string& cubin, uint64_t address) {
  WL_TRY(const Elf elf, read_elf(cubin));
  const std::map<uint16_t, uint64_t> addresses = addresses_of(elf, address);
  PlacedCubin placed{.bytes = cubin};
  for (const ElfSection& table : elf.sections) {
    if (table.type != kSymbolTable) continue;
    const auto begin = static_cast<uint64_t>(table.bytes.data() - cubin.data());
    for (uint64_t at = 0; at + kSymbolBytes <= table.bytes.size(); at += kSymbolBytes) {
      const auto section = static_cast<uint16_t>(read_number(table.bytes, at + kSectionField, 2));
      const auto found = addresses.find(section);
      if (found == addresses.end()) continue;
      const uint64_t value = read_number(table.bytes, at + kValueField, 8);
      write_number(found->second + value, begin + at + kValueField, placed.bytes);
    }
  }
  for (const ElfSymbol& symbol : elf.symbols) {
    const auto found = addresses.find(symbol.section);
    if (symbol.type != kFunctionSymbol || found == addresses.end()) continue;
    placed.functions[std::string(symbol.name)] = found->second + symbol.value;
  }
  return placed;
}

}  // namespace warpledger::sass
