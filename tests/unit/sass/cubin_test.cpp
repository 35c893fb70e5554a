#include "warpledger/sass/cubin/cubin.h"

#include "tests/support/bytes.h"
#include "tests/support/law.h"

namespace warpledger::sass {
namespace {

using testing::put;
using testing::Rng;

void put_leb(std::string& bytes, int64_t value, bool is_signed) {
  for (bool more = true; more;) {
    const auto low = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    more = is_signed ? !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0))
                     : value != 0;
    bytes.push_back(static_cast<char>(more ? low | 0x80 : low));
  }
}

constexpr uint8_t kOpcodeBase = 10;
constexpr int kLineBase = -5, kLineRange = 14;

/// The header of DWARF 2, section 6.2.4, with one file.
std::string header() {
  std::string rest;
  put(rest, 1, 1);  // bytes of an address unit
  put(rest, 1, 1);
  put(rest, static_cast<uint8_t>(kLineBase), 1);
  put(rest, kLineRange, 1);
  put(rest, kOpcodeBase, 1);
  for (const int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1}) put(rest, operands, 1);
  rest += std::string("\0a.ptx\0\0\0\0\0", 11);
  std::string bytes;
  put(bytes, 2, 2);
  put(bytes, rest.size(), 4);
  return bytes + rest;
}

/// One row, by a special opcode where it fits, or by its parts; now and then NVIDIA's 0x90 before.
void put_row(Rng& rng, std::string& code, const LineRow& from, const LineRow& to) {
  if (rng.between(0, 3) == 0) code += std::string("\0\3\x90\1\2", 5);
  const int64_t line = int64_t{to.line} - from.line;
  const uint64_t step = to.address - from.address;
  const int64_t special = line - kLineBase + kLineRange * static_cast<int64_t>(step) + kOpcodeBase;
  if (line >= kLineBase && line < kLineBase + kLineRange && special < 256 && rng.coin())
    return put(code, static_cast<uint64_t>(special), 1);
  put(code, 3, 1);
  put_leb(code, line, true);
  if (step < 65536 && rng.coin()) {
    put(code, 9, 1);
    put(code, step, 2);
  } else {
    put(code, 2, 1);
    put_leb(code, static_cast<int64_t>(step), false);
  }
  put(code, 1, 1);
}

struct Sample {
  std::string program, relocations;
  std::vector<LineRow> rows;
};

/// Random rows of section 7 as one program, its start relocated by a symbol at 0x40.
Sample any_program(Rng& rng) {
  Sample sample;
  std::string code = header();
  put(code, 0, 1);
  put_leb(code, 9, false);
  put(code, 2, 1);
  put(sample.relocations, code.size() + 4, 8);  // after the unit's length
  put(sample.relocations, uint64_t{1} << 32, 8);
  put(code, 0, 8);
  LineRow at{.address = 0x40, .file = 1, .line = 1};
  for (int64_t i = rng.between(1, 1 + rng.size()); i > 0; --i) {
    LineRow next = at;
    next.address +=
        static_cast<uint64_t>(rng.between(1, 5) * (rng.between(0, 20) == 0 ? 100000 : 16));
    next.line = static_cast<uint32_t>(
        rng.between(0, 9) == 0 ? rng.between(1, 17000000)
                               : std::max<int64_t>(1, int64_t{at.line} + rng.between(-4, 8)));
    put_row(rng, code, at, next);
    sample.rows.push_back(next);
    at = next;
  }
  code += std::string("\0\1\1", 3);
  put(sample.program, code.size(), 4);
  sample.program += code;
  return sample;
}

Elf elf_of(const Sample& sample) {
  Elf elf;
  elf.sections.resize(8);
  elf.sections[1] = {.name = ".nv_debug_line_sass", .type = 1, .bytes = sample.program};
  elf.sections[2] = {.name = ".rel", .type = 9, .info = 1, .bytes = sample.relocations};
  elf.symbols = {{}, {.name = "k", .type = 2, .section = 7, .value = 0x40}};
  return elf;
}

LAW(LineTable, ReadsBackWhatWasWritten) {
  const Sample sample = any_program(rng);
  const auto table = read_line_table(elf_of(sample), 1);
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->count(7), 1U);
  std::vector<LineRow> rows = table->at(7);
  ASSERT_FALSE(rows.empty());
  for (const LineRow& row : sample.rows) {
    if (&row == &sample.rows.back()) break;  // its end of sequence stands at the same address
    EXPECT_EQ(line_at(*table, 7, row.address), row);
    EXPECT_EQ(line_at(*table, 7, row.address + 1).line,
              (&row)[1].address == row.address + 1 ? (&row)[1].line : row.line);
  }
  EXPECT_EQ(line_at(*table, 7, 0).line, 0U);
  EXPECT_EQ(line_at(*table, 3, 0x40).line, 0U);
}

LAW(LineTable, ShortensToAFaultAndNeverReadsBeyond) {
  const Sample sample = any_program(rng);
  Sample cut = sample;
  cut.program.resize(
      static_cast<size_t>(rng.between(0, static_cast<int64_t>(cut.program.size()) - 1)));
  const auto table = read_line_table(elf_of(cut), 1);
  EXPECT_EQ(table.ok(), cut.program.empty());
}

TEST(Elf, RefusesWhatIsNone) {
  EXPECT_EQ(read_elf("").error().code, "bad-cubin");
  EXPECT_EQ(read_elf(std::string(200, 'x')).error().code, "bad-cubin");
  // A header alone whose section table would lie far outside.
  std::string bytes(
      "\x7f"
      "ELF\x02\x01",
      6);
  bytes.resize(64);
  bytes[40] = '\x70';
  bytes[58] = 64;
  bytes[60] = 3;
  EXPECT_EQ(read_elf(bytes).error().code, "bad-cubin");
}

}  // namespace
}  // namespace warpledger::sass
