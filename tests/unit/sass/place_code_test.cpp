#include "warpledger/sass/cubin/place_code.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/bytes.h"
#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {
namespace {

using testing::put;

struct Part {
  uint32_t name = 0, type = 0, link = 0, info = 0;
  std::string bytes = {};
};

std::string symbol(uint32_t name, uint8_t type, uint16_t section, uint64_t value) {
  std::string bytes;
  put(bytes, name, 4);
  put(bytes, type, 1);
  put(bytes, 0, 1);
  put(bytes, section, 2);
  put(bytes, value, 8);
  put(bytes, 16, 8);
  return bytes;
}

/// Header, contents, section table.
std::string elf_of(const std::vector<Part>& parts, uint16_t names) {
  std::string contents, table;
  constexpr uint64_t kHeader = 64;
  for (const Part& part : parts) {
    put(table, part.name, 4);
    put(table, part.type, 4);
    put(table, 0, 16);
    put(table, kHeader + contents.size(), 8);
    put(table, part.bytes.size(), 8);
    put(table, part.link, 4);
    put(table, part.info, 4);
    put(table, 0, 16);
    contents += part.bytes;
  }
  std::string bytes(
      "\x7f"
      "ELF\2\1\1",
      7);
  bytes.resize(40);
  put(bytes, kHeader + contents.size(), 8);
  put(bytes, 0, 10);
  put(bytes, 64, 2);
  put(bytes, parts.size(), 2);
  put(bytes, names, 2);
  return bytes + contents + table;
}

/// Two kernels, `a` with a subroutine at 16, and one symbol of data.
std::string two_kernels() {
  const std::string names("\0.text.a\0.text.b\0.data\0a\0b\0sub\0", 32);
  const std::string symbols = symbol(0, 0, 0, 0) + symbol(23, 2, 3, 0) + symbol(27, 2, 3, 16) +
                              symbol(25, 2, 4, 0) + symbol(17, 1, 5, 8);
  return elf_of({{},
                 {.type = 3, .bytes = names},
                 {.type = 2, .link = 1, .bytes = symbols},
                 {.name = 1, .type = 1, .bytes = std::string(144, 'x')},
                 {.name = 9, .type = 1, .bytes = std::string(16, 'y')},
                 {.name = 17, .type = 1, .bytes = "data"}},
                1);
}

TEST(PlaceCode, GivesEachSectionOfCodeAnAddress) {
  const auto placed = place_code(two_kernels(), 0x1000);
  ASSERT_TRUE(placed.ok()) << to_text(placed.error());
  const std::map<std::string, uint64_t> functions = {{"a", 0x1000}, {"sub", 0x1010}, {"b", 0x1100}};
  EXPECT_EQ(placed->functions, functions);
}

TEST(PlaceCode, WritesItIntoTheSymbolsAndNowhereElse) {
  const std::string before = two_kernels();
  const auto placed = place_code(before, 0x1000);
  ASSERT_TRUE(placed.ok());
  const auto elf = read_elf(placed->bytes);
  ASSERT_TRUE(elf.ok());
  EXPECT_EQ(elf->symbols[1].value, 0x1000u);
  EXPECT_EQ(elf->symbols[2].value, 0x1010u);
  EXPECT_EQ(elf->symbols[3].value, 0x1100u);
  EXPECT_EQ(elf->symbols[4].value, 8u);  // data
  EXPECT_EQ(elf->sections[3].bytes, read_elf(before)->sections[3].bytes);
}

/// One kernel with a table of lines; its relocations, of 16 bytes each, are `relocations`.
std::string kernel_with_lines(const std::string& lines, const std::string& relocations) {
  const std::string names("\0.text.a\0.debug_line\0.rel.debug_line\0a\0", 39);
  return elf_of({{},
                 {.type = 3, .bytes = names},
                 {.type = 2, .link = 1, .bytes = symbol(0, 0, 0, 0) + symbol(37, 2, 3, 0)},
                 {.name = 1, .type = 1, .bytes = std::string(16, 'x')},
                 {.name = 9, .type = 1, .bytes = lines},
                 {.name = 21, .type = 9, .link = 2, .info = 4, .bytes = relocations}},
                1);
}

std::string relocation(uint64_t offset, uint32_t type, uint32_t symbol) {
  std::string bytes;
  put(bytes, offset, 8);
  put(bytes, type, 4);
  put(bytes, symbol, 4);
  return bytes;
}

uint64_t line_address(const std::string& relocations) {
  std::string lines = "head";
  put(lines, 32, 8);
  const auto placed = place_code(kernel_with_lines(lines, relocations), 0x1000);
  EXPECT_TRUE(placed.ok());
  return read_number(read_elf(placed->bytes)->sections[4].bytes, 4, 8);
}

TEST(PlaceCode, WritesItIntoTheTableOfLines) {
  EXPECT_EQ(line_address(relocation(4, 2, 1)), 0x1000u + 32);
}

TEST(PlaceCode, LeavesRelocationsAloneThatItDoesNotUnderstand) {
  for (const std::string& one : {relocation(4, 57, 1), relocation(4, 2, 99), relocation(5, 2, 1),
                                 relocation(UINT64_MAX, 2, 1), relocation(4, 2, 0)})
    EXPECT_EQ(line_address(one), 32u);
}

TEST(PlaceCode, RefusesWhatIsNoCubin) {
  EXPECT_EQ(place_code("nothing", 0).error().code, "bad-cubin");
}

}  // namespace
}  // namespace warpledger::sass
