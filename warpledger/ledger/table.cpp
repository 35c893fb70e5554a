#include "warpledger/ledger/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "warpledger/base/number.h"

namespace warpledger {
namespace {

std::string amount_text(const Amount& amount) {
  if (amount.is_integer()) return group_thousands(amount.to_text());
  return amount.is_constant() ? ncu_number(to_double(amount)) : amount.to_text();
}

RawValue raw_of(const Amount& amount) {
  if (const std::optional<int64_t> n = amount.as_integer()) return *n;
  return amount.to_text();
}

Cell cell_of(const std::optional<Figure>& figure) { return figure ? cell_of(*figure) : Cell(); }

// ---- a ledger

std::vector<std::string> counter_names(const Ledger& ledger) {
  std::vector<std::string> names;
  for (const std::string& name : quantities(ledger)) {
    if (name != kBytes) names.push_back(name);
  }
  return names;
}

std::vector<Column> ledger_columns(const std::vector<std::string>& counters) {
  std::vector<Column> columns = {{"Operation", "operation"},
                                 {"Subject", "subject"},
                                 {"Edge", "edge"},
                                 {"Bytes per iteration", "bytes_per_iteration", Align::kRight},
                                 {"Iterations", "iterations", Align::kRight},
                                 {"Total bytes", "total_bytes", Align::kRight}};
  for (const std::string& name : counters) columns.push_back({name, name, Align::kRight});
  return columns;
}

using RowPointers = std::vector<const Movement*>;

/// The attributed rows in the order asked for.
RowPointers ordered_rows(const Ledger& ledger, RowOrder order) {
  RowPointers rows;
  for (const Movement& row : ledger.rows) {
    if (row.operation != kUnattributed) rows.push_back(&row);
  }
  const auto ranked = [](const Movement* row) { return row->total().value.is_constant(); };
  if (order == RowOrder::kProgram || !std::all_of(rows.begin(), rows.end(), ranked)) return rows;
  std::stable_sort(rows.begin(), rows.end(), [](const Movement* a, const Movement* b) {
    const auto bytes = compare(a->total().value, b->total().value);
    if (bytes != 0) return bytes > 0;
    return std::tie(a->operation, a->subject, a->edge) <
           std::tie(b->operation, b->subject, b->edge);
  });
  return rows;
}

Row row_of(const Movement& row, const std::vector<std::string>& counters) {
  Row cells{{row.operation, row.subject, to_text(row.edge),
             cell_of(Figure{row.bytes_per_iteration, row.fidelity}),
             cell_of(Figure{row.iterations, row.fidelity}), cell_of(row.total())}};
  for (const std::string& name : counters) cells.cells.push_back(cell_of(row.quantity(name)));
  return cells;
}

Row sum_row(const std::string& label, const std::string& edge, const Ledger& part,
            const std::vector<std::string>& counters) {
  Row row{{label, "", edge, Cell(), Cell(), cell_of(grand_total(part))}};
  for (const std::string& name : counters) row.cells.push_back(cell_of(grand_total(part, name)));
  return row;
}

void append_totals(Table& table, const Ledger& ledger, const std::vector<std::string>& counters) {
  std::map<Edge, Ledger> parts;
  for (const Movement& row : ledger.rows) parts[row.edge].rows.push_back(row);
  const size_t first = table.rows.size();
  for (const auto& [edge, part] : parts) {
    const Row row = sum_row("TOTAL", to_text(edge), part, counters);
    const bool moves = std::any_of(row.cells.begin() + 5, row.cells.end(), [](const Cell& cell) {
      return cell.raw != RawValue(int64_t{0});
    });
    if (moves) table.rows.push_back(row);
  }
  table.rows.push_back(sum_row("TOTAL", "all", ledger, counters));
  table.rows[first].rule_before = true;
}

// ---- a difference

std::vector<Column> difference_columns() {
  return {{"Operation", "operation"},
          {"Subject", "subject"},
          {"Edge", "edge"},
          {"Before", "before", Align::kRight},
          {"After", "after", Align::kRight},
          {"Delta", "delta", Align::kRight},
          {"Percent", "percent", Align::kRight}};
}

Row change_row(const std::string& operation, const std::string& subject, const std::string& edge,
               const Change& change) {
  return {{operation, subject, edge, cell_of(change.before), cell_of(change.after),
           delta_cell(change), percent_cell(change)}};
}

Amount size_of(const Amount& delta) { return compare(delta, 0) < 0 ? -delta : delta; }

/// Largest change first; changes that are formulas keep their order.
std::vector<RowChange> ranked(std::vector<RowChange> rows) {
  const bool constant = std::all_of(rows.begin(), rows.end(), [](const RowChange& row) {
    return row.change.delta().is_constant();
  });
  if (!constant) return rows;
  std::stable_sort(rows.begin(), rows.end(), [](const RowChange& a, const RowChange& b) {
    return compare(size_of(a.change.delta()), size_of(b.change.delta())) > 0;
  });
  return rows;
}

std::optional<Figure> added(const std::optional<Figure>& a, const std::optional<Figure>& b) {
  if (!a || !b) return a ? a : b;
  return *a + *b;
}

Change sum_of(const std::vector<RowChange>& rows, size_t first) {
  Change sum;
  for (size_t i = first; i < rows.size(); ++i) {
    sum.before = added(sum.before, rows[i].change.before);
    sum.after = added(sum.after, rows[i].change.after);
  }
  return sum;
}

/// What the changed rows leave of the total: the same on both sides.
Figure unchanged(const QuantityDifference& q) {
  const std::optional<Figure> changed = sum_of(q.rows, 0).before;
  return {q.total.before->value - (changed ? changed->value : Amount(0)), q.total.before->fidelity};
}

Table table_of(const QuantityDifference& q, size_t rows_shown) {
  Table table{.title = q.quantity, .columns = difference_columns()};
  const std::vector<RowChange> rows = ranked(q.rows);
  const size_t shown = std::min(rows.size(), rows_shown);
  for (size_t i = 0; i < shown; ++i) {
    table.rows.push_back(
        change_row(rows[i].operation, rows[i].subject, to_text(rows[i].edge), rows[i].change));
  }
  if (shown < rows.size()) {
    const std::string label = fmt::format("[{} others]", rows.size() - shown);
    table.rows.push_back(change_row(label, "", "", sum_of(rows, shown)));
  }
  const Figure rest = unchanged(q);
  if (!rest.value.is_zero()) table.rows.push_back(change_row("[unchanged]", "", "", {rest, rest}));
  const size_t first = table.rows.size();
  for (const auto& [edge, change] : q.edges) {
    const bool moves = (change.before && !change.before->value.is_zero()) ||
                       (change.after && !change.after->value.is_zero());
    if (moves) table.rows.push_back(change_row("TOTAL", "", to_text(edge), change));
  }
  table.rows.push_back(change_row("TOTAL", "", "all", q.total));
  table.rows[first].rule_before = true;
  return table;
}

}  // namespace

Cell cell_of(const Figure& figure) {
  return {amount_text(figure.value), raw_of(figure.value), figure.fidelity};
}

Cell delta_cell(const Change& change) {
  const Amount delta = change.delta();
  const bool grows = delta.is_constant() && compare(delta, 0) > 0;
  return {(grows ? "+" : "") + amount_text(delta), raw_of(delta), change.fidelity()};
}

Cell percent_cell(const Change& change) {
  if (!change.before) return {"added", RawValue(), change.fidelity()};
  if (!change.after) return {"removed", RawValue(), change.fidelity()};
  const std::optional<Amount> percent = change.percent();
  if (!percent || !percent->is_constant()) return {};
  const double value = to_double(*percent);
  const std::string text = percent->is_zero() ? "0.00 %" : fmt::format("{:+.2f} %", value);
  return {text, value, change.fidelity()};
}

std::string sentence_of(const Change& change) {
  const Cell before = cell_of(change.before.value_or(Figure{}));
  const Cell after = cell_of(change.after.value_or(Figure{}));
  const std::string percent = percent_cell(change).text;
  const Fidelity fidelity = change.fidelity();
  return fmt::format("{} -> {} ({}{}{})", before.text, after.text, delta_cell(change).text,
                     percent.empty() ? "" : ", " + percent,
                     fidelity == Fidelity::kExact ? "" : fmt::format("; {}", to_text(fidelity)));
}

Table table_of(const Ledger& ledger, const TableOptions& options) {
  const std::vector<std::string> counters = counter_names(ledger);
  Table table{.title = ledger.title, .columns = ledger_columns(counters)};
  const RowPointers rows = ordered_rows(ledger, options.order);
  const size_t shown = std::min(rows.size(), options.rows_shown);
  for (size_t i = 0; i < shown; ++i) table.rows.push_back(row_of(*rows[i], counters));
  Ledger others;
  for (size_t i = shown; i < rows.size(); ++i) others.rows.push_back(*rows[i]);
  if (!others.rows.empty()) {
    const std::string label = fmt::format("[{} others]", others.rows.size());
    table.rows.push_back(sum_row(label, "", others, counters));
  }
  for (const Movement& row : ledger.rows) {
    if (row.operation == kUnattributed) table.rows.push_back(row_of(row, counters));
  }
  append_totals(table, ledger, counters);
  return table;
}

std::vector<Table> tables_of(const LedgerDifference& difference, size_t rows_shown) {
  std::vector<Table> tables;
  for (const QuantityDifference& q : difference.quantities) {
    tables.push_back(table_of(q, rows_shown));
  }
  return tables;
}

}  // namespace warpledger
