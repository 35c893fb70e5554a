// Ledgers and their differences as tables. A long one shows its first rows, then one row for all
// the others, so that what is printed still adds up to the total.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/ledger/difference.h"
#include "warpledger/ledger/ledger.h"

namespace warpledger {

enum class RowOrder {
  kProgram,  // as the rows stand in the ledger
  kByBytes   // largest first, ties by name; formulas cannot be ranked: then as kProgram
};

inline constexpr size_t kRowsShown = 20;

struct TableOptions {
  RowOrder order = RowOrder::kProgram;
  size_t rows_shown = kRowsShown;
};

/// Rows, then [N others], [unattributed] and TOTAL for each edge that moves something, and for all.
/// Columns: operation, subject, edge, bytes_per_iteration, iterations, total_bytes, one a counter.
[[nodiscard]] Table table_of(const Ledger& ledger, const TableOptions& options = {});

/// One table a quantity (bytes first): what changed, largest change first; [unchanged]; TOTAL for
/// each edge, and for all. Columns: operation, subject, edge, before, after, delta, percent.
[[nodiscard]] std::vector<Table> tables_of(const LedgerDifference& difference,
                                           size_t rows_shown = kRowsShown);

/// Whole numbers grouped, formulas factored, fractions as decimals.
[[nodiscard]] Cell cell_of(const Figure& figure);

/// "+1,024" "-9.59 %": the sign always written; a formula as it is.
[[nodiscard]] Cell delta_cell(const Change& change);
[[nodiscard]] Cell percent_cell(const Change& change);

/// "1,000 -> 1,100 (+100, +10.00 %; modeled)"; an exact change does not say so.
[[nodiscard]] std::string sentence_of(const Change& change);

}  // namespace warpledger
