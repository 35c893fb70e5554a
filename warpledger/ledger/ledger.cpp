#include "warpledger/ledger/ledger.h"

#include <fmt/core.h>

namespace warpledger {
namespace {

/// The amount with sizes put in; a constant must come out whole.
Result<Amount> whole_at(const Amount& amount, const Substitution& sizes, const Movement& row) {
  WL_TRY(Amount value, amount.substitute(sizes));
  if (!value.is_constant() || value.is_integer() || amount.is_constant()) return value;
  return Diagnostic{.message = fmt::format("{}: {} is {} at these sizes, not a whole number",
                                           name_of(row), amount.to_text(), value.to_text()),
                    .hint = "the sizes break an assumption such as 'Br divides N'",
                    .code = "not-whole"};
}

Result<Movement> row_at(const Movement& row, const Substitution& sizes) {
  Movement result = row;
  WL_TRY(result.bytes_per_iteration, row.bytes_per_iteration.substitute(sizes));
  WL_TRY(result.iterations, whole_at(row.iterations, sizes, row));
  WL_TRY([[maybe_unused]] const Amount total, whole_at(row.total().value, sizes, row));
  for (auto& [name, figure] : result.counters) {
    WL_TRY(figure.value, whole_at(figure.value, sizes, row));
  }
  return result;
}

void note_sizes(Ledger& ledger, const Sizes& sizes, const std::set<std::string>& occurring) {
  std::string& text = ledger.provenance["sizes"];
  for (const auto& [name, value] : sizes) {
    if (!occurring.contains(name)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  if (text.empty()) ledger.provenance.erase("sizes");
}

}  // namespace

std::optional<Figure> Movement::quantity(const std::string& name) const {
  if (name == kBytes) return total();
  const auto found = counters.find(name);
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

std::map<Edge, Figure> edge_totals(const Ledger& ledger, const std::string& quantity) {
  std::map<Edge, Figure> totals;
  for (const Movement& row : ledger.rows) {
    const std::optional<Figure> figure = row.quantity(quantity);
    if (figure) totals[row.edge] = totals[row.edge] + *figure;
  }
  return totals;
}

Figure grand_total(const Ledger& ledger, const std::string& quantity) {
  Figure total;
  for (const auto& [edge, figure] : edge_totals(ledger, quantity)) total = total + figure;
  return total;
}

std::set<std::string> quantities(const Ledger& ledger) {
  std::set<std::string> names = {kBytes};
  for (const Movement& row : ledger.rows) {
    for (const auto& [name, figure] : row.counters) names.insert(name);
  }
  return names;
}

void attribute_rest(Ledger& ledger, Edge edge, const Figure& total) {
  const Amount rest = total.value - edge_totals(ledger)[edge].value;
  if (rest.is_zero()) return;
  ledger.rows.push_back({.operation = kUnattributed,
                         .subject = "",
                         .edge = edge,
                         .bytes_per_iteration = rest,
                         .fidelity = total.fidelity});
}

std::set<std::string> sizes_of(const Ledger& ledger) {
  std::set<std::string> names;
  const auto add = [&](const Amount& amount) {
    for (const std::string& name : amount.sizes()) names.insert(name);
  };
  for (const Movement& row : ledger.rows) {
    add(row.bytes_per_iteration);
    add(row.iterations);
    for (const auto& [name, figure] : row.counters) add(figure.value);
  }
  return names;
}

Result<Ledger> at_sizes(const Ledger& ledger, const Sizes& sizes) {
  const Substitution values(sizes.begin(), sizes.end());
  Ledger result = ledger;
  for (Movement& row : result.rows) {
    WL_TRY(row, row_at(row, values));
  }
  note_sizes(result, sizes, sizes_of(ledger));
  return result;
}

std::string name_of(const Movement& row) {
  const std::string subject = row.subject.empty() ? "" : fmt::format("({})", row.subject);
  return fmt::format("{}{} {}", row.operation, subject, to_text(row.edge));
}

}  // namespace warpledger
