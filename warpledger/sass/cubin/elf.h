// A 64-bit little-endian ELF file as ptxas writes it: sections, symbols, relocations. Every offset
// is checked against the file before it is followed; the views point into the caller's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::sass {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t size = 0;       // also of a section without bytes (.nv.shared.*)
  std::string_view bytes;  // empty for such a section
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0;   // kFunctionSymbol, ...
  uint8_t other = 0;  // ptxas: bits of its own
  uint16_t section = 0;
  uint64_t value = 0;
  uint64_t size = 0;
};
inline constexpr uint8_t kFunctionSymbol = 2;

/// At byte `offset` of the section that it applies to, the address of `symbol` is to be added.
struct ElfRelocation {
  uint64_t offset = 0;
  uint32_t symbol = 0;
  uint32_t type = 0;                   // R_CUDA_...
  std::optional<int64_t> addend = {};  // of .rela sections; else it stands in the section
};

struct Elf {
  uint16_t machine = 0;
  uint32_t flags = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  /// The index of the first section of that name; 0, the empty section, when there is none.
  [[nodiscard]] size_t find(std::string_view name) const;
  /// Those of .rel and .rela sections that apply to section `index`, sorted by offset.
  [[nodiscard]] std::vector<ElfRelocation> relocations_of(size_t index) const;
};

[[nodiscard]] Result<Elf> read_elf(std::string_view bytes);

/// A little-endian number of `width` <= 8 bytes at `offset`; 0 when it does not lie in `bytes`.
[[nodiscard]] uint64_t read_number(std::string_view bytes, uint64_t offset, size_t width);

}  // namespace warpledger::sass
