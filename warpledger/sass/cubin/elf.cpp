#include "warpledger/sass/cubin/elf.h"

#include <algorithm>

namespace warpledger::sass {
namespace {

constexpr uint64_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint32_t kSymbolTable = 2, kRela = 4, kNoBits = 8, kRel = 9;

Diagnostic bad(const char* what) { return {.message = what, .code = "bad-cubin"}; }

bool lies_in(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// The text at `offset` up to its NUL; empty when there is none.
std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

Status read_sections(std::string_view bytes, Elf& elf) {
  const uint64_t table = read_number(bytes, 40, 8);
  const uint64_t count = read_number(bytes, 60, 2), names = read_number(bytes, 62, 2);
  if (read_number(bytes, 58, 2) != kSectionBytes || !lies_in(bytes, table, count * kSectionBytes))
    return bad("the cubin's section table is outside the file");
  std::vector<uint64_t> name_offsets;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view header = bytes.substr(table + i * kSectionBytes, kSectionBytes);
    ElfSection section;
    section.type = static_cast<uint32_t>(read_number(header, 4, 4));
    section.size = read_number(header, 32, 8);
    section.link = static_cast<uint32_t>(read_number(header, 40, 4));
    section.info = static_cast<uint32_t>(read_number(header, 44, 4));
    const uint64_t offset = read_number(header, 24, 8);
    if (section.type != kNoBits && section.type != 0) {
      if (!lies_in(bytes, offset, section.size))
        return bad("a section of the cubin is outside the file");
      section.bytes = bytes.substr(offset, section.size);
    }
    name_offsets.push_back(read_number(header, 0, 4));
    elf.sections.push_back(section);
  }
  if (names >= elf.sections.size()) return bad("the cubin has no section names");
  for (size_t i = 0; i < elf.sections.size(); ++i)
    elf.sections[i].name = text_at(elf.sections[names].bytes, name_offsets[i]);
  return {};
}

void read_symbols(Elf& elf) {
  for (const ElfSection& table : elf.sections) {
    if (table.type != kSymbolTable) continue;
    const std::string_view names =
        table.link < elf.sections.size() ? elf.sections[table.link].bytes : std::string_view{};
    for (uint64_t at = 0; lies_in(table.bytes, at, kSymbolBytes); at += kSymbolBytes) {
      const std::string_view entry = table.bytes.substr(at, kSymbolBytes);
      elf.symbols.push_back({.name = text_at(names, read_number(entry, 0, 4)),
                             .type = static_cast<uint8_t>(read_number(entry, 4, 1) & 15),
                             .other = static_cast<uint8_t>(read_number(entry, 5, 1)),
                             .section = static_cast<uint16_t>(read_number(entry, 6, 2)),
                             .value = read_number(entry, 8, 8),
                             .size = read_number(entry, 16, 8)});
    }
    return;  // relocations and .nv.info count in the first table
  }
}

}  // namespace

uint64_t read_number(std::string_view bytes, uint64_t offset, size_t width) {
  if (!lies_in(bytes, offset, width)) return 0;
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[offset + i])) << (8 * i);
  return value;
}

size_t Elf::find(std::string_view name) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(),
                   [name](const ElfSection& section) { return section.name == name; });
  return found == sections.end() ? 0 : static_cast<size_t>(found - sections.begin());
}

std::vector<ElfRelocation> Elf::relocations_of(size_t index) const {
  std::vector<ElfRelocation> found;
  for (const ElfSection& section : sections) {
    if ((section.type != kRel && section.type != kRela) || section.info != index) continue;
    const uint64_t size = section.type == kRel ? 16 : 24;
    for (uint64_t at = 0; lies_in(section.bytes, at, size); at += size) {
      found.push_back({.offset = read_number(section.bytes, at, 8),
                       .symbol = static_cast<uint32_t>(read_number(section.bytes, at + 12, 4)),
                       .type = static_cast<uint32_t>(read_number(section.bytes, at + 8, 4))});
      if (section.type == kRela)
        found.back().addend = static_cast<int64_t>(read_number(section.bytes, at + 16, 8));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const ElfRelocation& a, const ElfRelocation& b) {
    return a.offset < b.offset;
  });
  return found;
}

Result<Elf> read_elf(std::string_view bytes) {
  // 64-bit, little-endian: all that ptxas writes.
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("\x7f"
                                                        "ELF\x02\x01"))
    return bad("this is not a 64-bit ELF file");
  Elf elf;
  elf.machine = static_cast<uint16_t>(read_number(bytes, 18, 2));
  elf.flags = static_cast<uint32_t>(read_number(bytes, 48, 4));
  WL_TRY_STATUS(read_sections(bytes, elf));
  read_symbols(elf);
  return elf;
}

}  // namespace warpledger::sass
