#include "warpledger/sass/cubin/line_table.h"

#include <algorithm>
#include <array>

namespace warpledger::sass {
namespace {

Diagnostic bad(const char* what) { return {.message = what, .code = "bad-cubin"}; }

/// Bytes read one after another. Reading past the end gives 0 and sets `failed`.
struct Cursor {
  std::string_view bytes;
  uint64_t at = 0;
  bool failed = false;

  [[nodiscard]] bool at_end() const { return failed || at >= bytes.size(); }
  uint64_t number(size_t width) {
    if (width > bytes.size() - std::min<uint64_t>(at, bytes.size())) failed = true;
    const uint64_t value = read_number(bytes, at, width);
    at += width;
    return value;
  }
  uint64_t leb(bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0;
    for (uint64_t byte = 0x80; (byte & 0x80) != 0 && !failed;) {
      byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
      if (is_signed && (byte & 0xc0) == 0x40 && shift < 64) value |= ~uint64_t{0} << shift;
    }
    return value;
  }
  std::string_view text() {
    const uint64_t begin = std::min<uint64_t>(at, bytes.size());
    const size_t end = bytes.find('\0', begin);
    if (end == std::string_view::npos) failed = true;
    at = failed ? bytes.size() : end + 1;
    return failed ? std::string_view{} : bytes.substr(begin, end - begin);
  }
};

/// The header of one program: what its opcodes mean.
struct Dialect {
  uint64_t step = 1;  // bytes of an address unit
  int64_t line_base = 0;
  uint64_t line_range = 1;
  uint64_t opcode_base = 1;
  std::vector<uint64_t> operands;  // of the standard opcodes
};

/// Runs the program of one unit. Opcode names are those of DWARF 2, section 6.2.
class Machine {
 public:
  Machine(const Dialect& dialect, const Elf& elf, const std::vector<ElfRelocation>& relocations,
          LineTable& table)
      : dialect_(dialect), elf_(elf), relocations_(relocations), table_(table) {}

  void run(Cursor& code) {
    while (!code.at_end()) {
      const uint64_t opcode = code.number(1);
      if (opcode == 0)
        extended(code);
      else if (opcode < dialect_.opcode_base)
        standard(opcode, code);
      else
        special(opcode - dialect_.opcode_base);
    }
  }

 private:
  void emit() { table_[section_].push_back(row_); }
  void reset() {
    row_ = {.address = 0, .file = 1, .line = 1};
    section_ = 0;
  }
  void add_line(uint64_t delta) { row_.line = static_cast<uint32_t>(row_.line + delta); }
  void special(uint64_t code) {
    row_.address += code / dialect_.line_range * dialect_.step;
    add_line(static_cast<uint64_t>(dialect_.line_base) + code % dialect_.line_range);
    emit();
  }
  void extended(Cursor& code) {
    const uint64_t size = code.leb(false), begin = code.at;
    if (size == 0 || code.failed || size > code.bytes.size() - begin) {
      code.failed = true;
      return;
    }
    const uint64_t opcode = code.number(1);
    if (opcode == 1) {  // end_sequence
      row_.line = 0;
      emit();
      reset();
    } else if (opcode == 2) {  // set_address
      set_address(code, static_cast<size_t>(std::min<uint64_t>(size - 1, 8)));
    }
    // All else, such as NVIDIA's 0x90 (an inlined call), says nothing of lines.
    code.at = begin + size;
  }
  void set_address(Cursor& code, size_t width) {
    const uint64_t place = code.at;
    row_.address = code.number(width);
    const auto found = std::lower_bound(
        relocations_.begin(), relocations_.end(), place,
        [](const ElfRelocation& relocation, uint64_t at) { return relocation.offset < at; });
    if (found == relocations_.end() || found->offset != place) return;
    if (found->symbol >= elf_.symbols.size()) return;
    const ElfSymbol& symbol = elf_.symbols[found->symbol];
    section_ = symbol.section;
    row_.address += symbol.value;
  }
  void standard(uint64_t opcode, Cursor& code) {
    switch (opcode) {
      case 1:
        return emit();  // copy
      case 2:
        row_.address += code.leb(false) * dialect_.step;
        return;  // advance_pc
      case 3:
        return add_line(code.leb(true));  // advance_line
      case 4:
        row_.file = static_cast<uint32_t>(code.leb(false));
        return;  // set_file
      case 8:    // const_add_pc
        row_.address += (255 - dialect_.opcode_base) / dialect_.line_range * dialect_.step;
        return;
      case 9:
        row_.address += code.number(2);
        return;  // fixed_advance_pc
      default:
        for (uint64_t i = 0; i < dialect_.operands[opcode]; ++i) code.leb(false);
    }
  }

  const Dialect& dialect_;
  const Elf& elf_;
  const std::vector<ElfRelocation>& relocations_;
  LineTable& table_;
  LineRow row_ = {.address = 0, .file = 1, .line = 1};
  uint16_t section_ = 0;
};

/// Reads up to the first opcode of the unit that ends at code.bytes.size().
Result<Dialect> read_dialect(Cursor& code) {
  const uint64_t version = code.number(2);
  if (version < 2 || version > 4) return bad("a line table of the cubin has an unknown version");
  const uint64_t header_size = code.number(4), begin = code.at;
  if (code.failed || header_size > code.bytes.size() - begin)
    return bad("a line table of the cubin is longer than its section");
  Dialect dialect;
  dialect.step = code.number(1);
  if (version == 4) code.number(1);  // operations of an instruction: of VLIW machines
  code.number(1);                    // default_is_stmt
  dialect.line_base = static_cast<int8_t>(code.number(1));
  dialect.line_range = code.number(1);
  dialect.opcode_base = code.number(1);
  if (dialect.line_range == 0 || dialect.opcode_base == 0)
    return bad("a line table of the cubin has a broken header");
  dialect.operands.resize(dialect.opcode_base);
  for (uint64_t i = 1; i < dialect.opcode_base; ++i) dialect.operands[i] = code.number(1);
  if (code.failed) return bad("a line table of the cubin ends too early");
  code.at = begin + header_size;  // folder and file names: not needed
  return dialect;
}

void sort_rows(LineTable& table) {
  const auto before = [](const LineRow& a, const LineRow& b) { return a.address < b.address; };
  for (auto& [section, rows] : table) {
    // An end of sequence yields to a row at the same address.
    std::stable_sort(rows.begin(), rows.end(), [&](const LineRow& a, const LineRow& b) {
      return before(a, b) || (a.address == b.address && a.line == 0 && b.line != 0);
    });
    std::vector<LineRow> kept;
    for (const LineRow& row : rows) {
      if (!kept.empty() && kept.back().address == row.address) kept.pop_back();
      kept.push_back(row);
    }
    rows = std::move(kept);
  }
}

}  // namespace

Result<LineTable> read_line_table(const Elf& elf, size_t index) {
  LineTable table;
  if (index >= elf.sections.size()) return bad("the cubin has no such line table");
  const std::string_view bytes = elf.sections[index].bytes;
  const std::vector<ElfRelocation> relocations = elf.relocations_of(index);
  for (uint64_t at = 0; at < bytes.size();) {
    const uint64_t size = read_number(bytes, at, 4);
    if (bytes.size() - at < 4 || size > bytes.size() - at - 4)
      return bad("a line table of the cubin is longer than its section");
    // Offsets stay those of the section: relocations count in them.
    Cursor code{bytes.substr(0, at + 4 + size), at + 4};
    WL_TRY(const Dialect dialect, read_dialect(code));
    Machine(dialect, elf, relocations, table).run(code);
    if (code.failed) return bad("a line table of the cubin ends inside an opcode");
    at += 4 + size;
  }
  sort_rows(table);
  return table;
}

LineRow line_at(const LineTable& table, uint16_t section, uint64_t address) {
  const auto rows = table.find(section);
  if (rows == table.end()) return {};
  const auto after =
      std::upper_bound(rows->second.begin(), rows->second.end(), address,
                       [](uint64_t wanted, const LineRow& row) { return wanted < row.address; });
  return after == rows->second.begin() ? LineRow{} : *std::prev(after);
}

}  // namespace warpledger::sass
