#include "warpledger/ledger/difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace warpledger {
namespace {

using Key = std::tuple<std::string, std::string, Edge>;

Key key_of(const Movement& row) { return {row.operation, row.subject, row.edge}; }

std::optional<Figure> added(const std::optional<Figure>& a, const Figure& b) {
  return a ? *a + b : b;
}

/// The keys of both ledgers in order of first appearance, each with the sums of its rows.
class Matching {
 public:
  Matching(const Ledger& before, const Ledger& after, const std::string& quantity) {
    for (const Movement& row : before.rows) add(row, quantity, &Change::before);
    for (const Movement& row : after.rows) add(row, quantity, &Change::after);
  }

  [[nodiscard]] std::vector<RowChange> changed() const {
    std::vector<RowChange> rows;
    for (const Key& key : order_) {
      const Change& change = changes_.at(key);
      if (change.is_nothing()) continue;
      rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), change});
    }
    return rows;
  }

 private:
  void add(const Movement& row, const std::string& quantity, std::optional<Figure> Change::*side) {
    const std::optional<Figure> figure = row.quantity(quantity);
    if (!figure) return;
    const auto [found, is_new] = changes_.try_emplace(key_of(row));
    if (is_new) order_.push_back(found->first);
    found->second.*side = added(found->second.*side, *figure);
  }

  std::vector<Key> order_;
  std::map<Key, Change> changes_;
};

QuantityDifference compare_quantity(const Ledger& before, const Ledger& after,
                                    const std::string& quantity) {
  QuantityDifference result{.quantity = quantity,
                            .rows = Matching(before, after, quantity).changed()};
  for (const auto& [edge, figure] : edge_totals(before, quantity)) {
    result.edges[edge].before = figure;
  }
  for (const auto& [edge, figure] : edge_totals(after, quantity)) result.edges[edge].after = figure;
  result.total = {grand_total(before, quantity), grand_total(after, quantity)};
  return result;
}

std::vector<std::string> provenance_changes(const Ledger& before, const Ledger& after) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [key, value] : before.provenance) both[key].first = value;
  for (const auto& [key, value] : after.provenance) both[key].second = value;
  const auto shown = [](const std::string& value) { return value.empty() ? "unknown" : value; };
  std::vector<std::string> lines;
  for (const auto& [key, values] : both) {
    if (values.first == values.second) continue;
    lines.push_back(fmt::format("{}: {} -> {}", key, shown(values.first), shown(values.second)));
  }
  return lines;
}

}  // namespace

Amount Change::delta() const {
  return (after ? after->value : Amount(0)) - (before ? before->value : Amount(0));
}

std::optional<Amount> Change::percent() const {
  if (!before || before->value.is_zero()) return std::nullopt;
  return 100 * delta() / before->value;
}

Fidelity Change::fidelity() const {
  return weakest(before ? before->fidelity : Fidelity::kExact,
                 after ? after->fidelity : Fidelity::kExact);
}

bool LedgerDifference::is_empty() const {
  return std::all_of(quantities.begin(), quantities.end(),
                     [](const QuantityDifference& q) { return q.rows.empty(); });
}

LedgerDifference difference(const Ledger& before, const Ledger& after) {
  LedgerDifference result{.provenance = provenance_changes(before, after)};
  std::set<std::string> names = quantities(before);
  names.merge(quantities(after));
  names.erase(kBytes);
  result.quantities.push_back(compare_quantity(before, after, kBytes));
  for (const std::string& name : names) {
    result.quantities.push_back(compare_quantity(before, after, name));
  }
  return result;
}

}  // namespace warpledger
