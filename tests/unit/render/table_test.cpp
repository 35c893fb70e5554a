#include "warpledger/render/table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/law.h"
#include "warpledger/render/report.h"

namespace warpledger {
namespace {

Table sample() {
  return {.title = "Moves",
          .columns = {{"Operation", "operation"}, {"Bytes", "total_bytes", Align::kRight}},
          .rows = {{{"LDS(Q)", Cell(16384, Fidelity::kExact)}},
                   {{"LDS(K), twice", Cell(32768, Fidelity::kModeled)}},
                   {{"TOTAL", Cell(49152, Fidelity::kModeled)}, true}},
          .notes = {"a note"}};
}

TEST(TableText, AlignsColumnsAndExplainsMarks) {
  EXPECT_EQ(to_text(sample()),
            "Moves\n"
            "Operation        Bytes\n"
            "-------------  -------\n"
            "LDS(Q)         16,384\n"
            "LDS(K), twice  32,768~\n"
            "-------------  -------\n"
            "TOTAL          49,152~\n"
            "~ modeled; unmarked numbers are exact\n"
            "a note\n");
}

TEST(TableText, MarksMeasuredAndPublishedNumbersWithTheWord) {
  const Table table{.columns = {{"SMs", "sms", Align::kRight}},
                    .rows = {{{Cell(132, Fidelity::kPublished)}},
                             {{Cell(8, Fidelity::kMeasured)}},
                             {{Cell(78, Fidelity::kAssumed)}},
                             {{Cell(4, Fidelity::kExact)}}}};
  EXPECT_EQ(to_text(table),
            "          SMs\n"
            "-------------\n"
            "132 published\n"
            "  8 measured\n"
            " 78?\n"
            "  4\n"
            "? assumed; unmarked numbers are exact\n");
}

TEST(TableText, SaysOnceThatAllNumbersAreMeasured) {
  const Table table{.columns = {{"Wall s", "wall", Align::kRight}},
                    .rows = {{{Cell(3, Fidelity::kMeasured)}}, {{Cell(12, Fidelity::kMeasured)}}},
                    .notes = {"a note"}};
  EXPECT_EQ(to_text(table),
            "Wall s\n"
            "------\n"
            "     3\n"
            "    12\n"
            "all numbers are measured\n"
            "a note\n");
}

TEST(TableCsv, QuotesCommasAndNamesFidelity) {
  EXPECT_EQ(to_csv(sample()),
            "operation,total_bytes,total_bytes_fidelity\n"
            "LDS(Q),16384,exact\n"
            "\"LDS(K), twice\",32768,modeled\n"
            "TOTAL,49152,modeled\n");
}

TEST(TableMarkdown, AlignsNumbersToTheRight) {
  EXPECT_NE(to_markdown(sample()).find("| --- | ---: |\n| LDS(Q) | 16,384 |\n"), std::string::npos);
}

TEST(TableJson, KeepsRawNumbersAndFidelity) {
  const auto json = to_json(sample());
  EXPECT_EQ(json["rows"][0]["total_bytes"], 16384);
  EXPECT_EQ(json["rows"][1]["fidelity"]["total_bytes"], "modeled");
}

TEST(TableJson, ReplacesBrokenUtf8) {
  Report report{.command = "x", .verdict = {"\xff"}};
  EXPECT_NE(render(report, Format::kJson).find("\"command\": \"x\""), std::string::npos);
}

TEST(DisplayWidth, CountsCharactersNotBytes) { EXPECT_EQ(display_width("N² → x"), 6U); }

LAW(TableText, NeverLosesACell) {
  Table table;
  const int64_t columns = rng.between(1, 5);
  for (int64_t i = 0; i < columns; ++i) {
    table.columns.push_back(
        {"c" + std::to_string(i), "c", rng.coin() ? Align::kLeft : Align::kRight});
  }
  for (int64_t n = rng.between(0, rng.size() / 10); n > 0; --n) {
    Row row;
    for (int64_t i = 0; i < columns; ++i) {
      row.cells.emplace_back(rng.between(-1000, 1'000'000),
                             rng.coin() ? Fidelity::kExact : Fidelity::kAssumed);
    }
    table.rows.push_back(row);
  }
  const std::string text = to_text(table);
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) EXPECT_NE(text.find(cell.text), std::string::npos);
  }
}

}  // namespace
}  // namespace warpledger
