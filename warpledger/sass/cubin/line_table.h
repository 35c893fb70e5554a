// Which line of a text each SASS instruction came from: the DWARF-2 line programs of
// .nv_debug_line_sass (lines of the PTX) and .debug_line (lines of the source).
//
// A row (section, address, line) holds from its address to that of the next row; the address of a
// sequence comes from a relocation that names the .text section.
#pragma once

#include <map>

#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {

struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;
  uint32_t line = 0;  // 0: nothing is known from here on
  friend bool operator==(const LineRow&, const LineRow&) = default;
};

/// Per section of code, rows sorted by address; of two at one address the later one counts.
using LineTable = std::map<uint16_t, std::vector<LineRow>>;

/// The line table in section `index`; fails on a program that does not fit its own lengths.
[[nodiscard]] Result<LineTable> read_line_table(const Elf& elf, size_t index);

/// The row in force at `address` of `section`; a row of line 0 when there is none.
[[nodiscard]] LineRow line_at(const LineTable& table, uint16_t section, uint64_t address);

}  // namespace warpledger::sass
