#include "warpledger/profile/metrics/sass_page.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpledger::profile {
namespace {

MachineCode load_and_add() {
  MachineCode code{.address = 0x100,
                   .lines = {{.address = 0x100,
                              .opcode = "LDG.E",
                              .operands = "R2, [R4.64]",
                              .executions = 10,
                              .live_registers = 3},
                             {.address = 0x110,
                              .guard = "@P0",
                              .opcode = "FADD",
                              .operands = "R2, R2, R3",
                              .executions = 30,
                              .threads = 960,
                              .threads_on = 900,
                              .inputs = {{0, "R2"}},
                              .waits = {{0, 0}}}}};
  for (MachineLine& line : code.lines) line.states.emplace();
  code.lines[0].states->cycles[static_cast<size_t>(sm::Reason::kSelected)] = 10;
  code.lines[1].states->cycles[static_cast<size_t>(sm::Reason::kLongScoreboard)] = 30;
  return code;
}

Cell cell(const Table& table, size_t row, const std::string& key) {
  const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const Column& column) { return column.key == key; });
  EXPECT_NE(at, table.columns.end()) << key;
  return table.rows[row].cells[static_cast<size_t>(at - table.columns.begin())];
}

TEST(SassPage, SaysWhatEachInstructionReadsAndWaitsFor) {
  const Table table = sass_table({}, load_and_add());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(cell(table, 1, "sass").text, "@P0 FADD R2, R2, R3");
  EXPECT_EQ(cell(table, 1, "reads_from").text, "#0 R2");
  EXPECT_EQ(cell(table, 1, "waits_for").text, "SB0: #0 LDG.E");
  EXPECT_EQ(cell(table, 1, "predicated_off_threads").text, "60");
  EXPECT_EQ(cell(table, 1, "longest_wait").text, "long_scoreboard");
  EXPECT_EQ(std::get<double>(cell(table, 1, "warp_cycles_percent").raw), 75);
  EXPECT_EQ(cell(table, 0, "live_registers").text, "3");
}

TEST(SassPage, WhatIsNotKnownIsEmptyNotZero) {
  const Table table = sass_table({}, load_and_add());
  EXPECT_EQ(cell(table, 0, "thread_instructions").text, "");
  EXPECT_EQ(cell(table, 1, "live_registers").text, "");
}

TEST(SassPage, EveryNumberHasItsFidelity) {
  for (const Table& table : {sass_table({}, load_and_add()), stall_table(load_and_add()),
                             opcode_table({}, load_and_add())}) {
    for (const Row& row : table.rows) {
      for (const Cell& one : row.cells) {
        const bool is_number =
            std::holds_alternative<int64_t>(one.raw) || std::holds_alternative<double>(one.raw);
        EXPECT_EQ(is_number, one.fidelity.has_value()) << table.title << ": " << one.text;
      }
    }
  }
}

TEST(SassPage, TheMixAddsUp) {
  const Table table = opcode_table({}, load_and_add());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(cell(table, 0, "opcode").text, "FADD");
  EXPECT_EQ(cell(table, 0, "unit").text, "FMA");
  EXPECT_EQ(std::get<double>(cell(table, 0, "share_percent").raw), 75);
}

}  // namespace
}  // namespace warpledger::profile
