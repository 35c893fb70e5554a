#include "warpledger/ledger/table.h"

#include <gtest/gtest.h>

#include "tests/unit/ledger/samples.h"

namespace warpledger {
namespace {

int64_t number(const Cell& cell) {
  const int64_t* n = std::get_if<int64_t>(&cell.raw);
  return n == nullptr ? 0 : *n;
}

/// The numbers of one column above the totals, and the last row's.
std::pair<int64_t, int64_t> sum_and_total(const Table& table, size_t column) {
  int64_t sum = 0;
  for (const Row& row : table.rows) {
    if (row.cells[0].text != "TOTAL") sum += number(row.cells[column]);
  }
  return {sum, number(table.rows.back().cells[column])};
}

LAW(LedgerTable, PrintedRowsAddUpToThePrintedTotal) {
  const Ledger ledger = testing::any_ledger(rng, false);
  const Table table = table_of(ledger, {RowOrder::kByBytes, 5});
  for (size_t column = 5; column < table.columns.size(); ++column) {
    const auto [sum, total] = sum_and_total(table, column);
    EXPECT_EQ(sum, total);
  }
}

LAW(DifferenceTable, PrintedRowsAddUpToThePrintedTotal) {
  const Ledger a = testing::any_ledger(rng, false), b = testing::any_ledger(rng, false);
  for (const Table& table : tables_of(difference(a, b), 5)) {
    for (const size_t column : {3u, 4u, 5u}) {
      const auto [sum, total] = sum_and_total(table, column);
      EXPECT_EQ(sum, total) << table.title << " " << column;
    }
  }
}

LAW(LedgerTable, EveryNumberCarriesItsFidelity) {
  const Table table = table_of(testing::any_ledger(rng));
  for (const Row& row : table.rows) {
    for (size_t i = 3; i < row.cells.size(); ++i) {
      EXPECT_TRUE(row.cells[i].text.empty() || row.cells[i].fidelity);
    }
  }
}

Ledger of_sizes(const std::vector<int64_t>& sizes) {
  Ledger ledger;
  for (const int64_t size : sizes) {
    ledger.rows.push_back(
        {"LDS", "t" + std::to_string(ledger.rows.size()), {Level::kDram, Level::kSmem}, size});
  }
  return ledger;
}

TEST(LedgerTable, RanksByBytesWhenAsked) {
  const Table table = table_of(of_sizes({5, 9, 7, 9}), {RowOrder::kByBytes, 3});
  EXPECT_EQ(table.rows[0].cells[1].text, "t1");
  EXPECT_EQ(table.rows[1].cells[1].text, "t3");
  EXPECT_EQ(table.rows[2].cells[1].text, "t2");
  EXPECT_EQ(table.rows[3].cells[0].text, "[1 others]");
  EXPECT_EQ(table_of(of_sizes({5, 9})).rows[0].cells[1].text, "t0");
}

TEST(LedgerTable, PutsTheUnattributedBeforeTheTotal) {
  Ledger ledger = of_sizes({5});
  attribute_rest(ledger, {Level::kDram, Level::kSmem}, {12, Fidelity::kMeasured});
  const Table table = table_of(ledger, {RowOrder::kByBytes, 20});
  EXPECT_EQ(table.rows[1].cells[0].text, "[unattributed]");
  EXPECT_EQ(number(table.rows[1].cells[5]), 7);
  EXPECT_TRUE(table.rows[2].rule_before);
}

TEST(LedgerTable, WritesFormulasFactored) {
  const Expression N = Expression::size("N"), d = Expression::size("d");
  const Ledger ledger{.rows = {{"LDS", "K", {Level::kDram, Level::kSmem}, 12 * d + 16 * N, N}}};
  EXPECT_EQ(table_of(ledger).rows[0].cells[5].text, "4*N*(3*d + 4*N)");
}

}  // namespace
}  // namespace warpledger
