#include "warpledger/sass/cubin/place_code.h"

#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {
namespace {

constexpr uint32_t kSymbolTable = 2;
constexpr uint64_t kSymbolBytes = 24, kSectionField = 6, kValueField = 8;  // of an Elf64_Sym
constexpr uint64_t kAlignment = 128;                                       // of code

// Where a driver has written addresses too, in the cubins of reports that Nsight Compute measured.
constexpr const char* kTables[] = {".debug_line", ".nv_debug_line_sass", ".debug_frame"};
constexpr uint32_t kAddress64 = 2;  // R_CUDA_64

using Addresses = std::map<uint16_t, uint64_t>;  // by the number of the section

Addresses addresses_of(const Elf& elf, uint64_t address) {
  Addresses addresses;
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

void place_symbols(const Elf& elf, const std::string& cubin, const Addresses& addresses,
                   std::string& bytes) {
  for (const ElfSection& table : elf.sections) {
    if (table.type != kSymbolTable) continue;
    const auto begin = static_cast<uint64_t>(table.bytes.data() - cubin.data());
    for (uint64_t at = 0; at + kSymbolBytes <= table.bytes.size(); at += kSymbolBytes) {
      const auto section = static_cast<uint16_t>(read_number(table.bytes, at + kSectionField, 2));
      const auto found = addresses.find(section);
      if (found == addresses.end()) continue;
      const uint64_t value = read_number(table.bytes, at + kValueField, 8);
      write_number(found->second + value, begin + at + kValueField, bytes);
    }
  }
}

void place_table(const Elf& elf, size_t table, const std::string& cubin, const Addresses& addresses,
                 std::string& bytes) {
  const std::string_view held = elf.sections[table].bytes;
  for (const ElfRelocation& one : elf.relocations_of(table)) {
    const bool fits = held.size() >= 8 && one.offset <= held.size() - 8;
    if (one.type != kAddress64 || !fits || one.symbol >= elf.symbols.size()) continue;
    const ElfSymbol& symbol = elf.symbols[one.symbol];
    const auto found = addresses.find(symbol.section);
    if (found == addresses.end()) continue;
    const auto begin = static_cast<uint64_t>(held.data() - cubin.data());
    const uint64_t added =
        one.addend ? static_cast<uint64_t>(*one.addend) : read_number(held, one.offset, 8);
    write_number(found->second + symbol.value + added, begin + one.offset, bytes);
  }
}

}  // namespace

Result<PlacedCubin> place_code(const std::string& cubin, uint64_t address) {
  WL_TRY(const Elf elf, read_elf(cubin));
  const Addresses addresses = addresses_of(elf, address);
  PlacedCubin placed{.bytes = cubin};
  place_symbols(elf, cubin, addresses, placed.bytes);
  for (const char* table : kTables) {
    if (const size_t at = elf.find(table)) place_table(elf, at, cubin, addresses, placed.bytes);
  }
  for (const ElfSymbol& symbol : elf.symbols) {
    const auto found = addresses.find(symbol.section);
    if (symbol.type != kFunctionSymbol || found == addresses.end()) continue;
    placed.functions[std::string(symbol.name)] = found->second + symbol.value;
  }
  return placed;
}

}  // namespace warpledger::sass
