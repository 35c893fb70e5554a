// The difference of two ledgers. Rows are matched by (operation, subject, edge); rows of one ledger
// with the same key are added first. Every quantity is compared: bytes, and each counter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/ledger/ledger.h"

namespace warpledger {

/// Absent: the ledger has no such figure (a row that was added or removed).
struct Change {
  std::optional<Figure> before = {};
  std::optional<Figure> after = {};

  /// after - before, an absent figure counting as 0.
  [[nodiscard]] Amount delta() const;
  /// 100 * delta / before; absent when before is absent or zero.
  [[nodiscard]] std::optional<Amount> percent() const;
  /// Of everything computed from both.
  [[nodiscard]] Fidelity fidelity() const;
  /// Present in both with the same value; how far each is trusted may differ.
  [[nodiscard]] bool is_nothing() const {
    return before.has_value() == after.has_value() && delta().is_zero();
  }
  friend bool operator==(const Change&, const Change&) = default;
};

struct RowChange {
  std::string operation;
  std::string subject;
  Edge edge;
  Change change;
  friend bool operator==(const RowChange&, const RowChange&) = default;
};

/// One quantity in both ledgers. `rows` holds what changed, in the order of the first ledger, then
/// what the second adds; `edges` and `total` are always there.
struct QuantityDifference {
  std::string quantity;
  std::vector<RowChange> rows = {};
  std::map<Edge, Change> edges = {};
  Change total = {};
  friend bool operator==(const QuantityDifference&, const QuantityDifference&) = default;
};

struct LedgerDifference {
  std::vector<std::string> provenance = {};         // "gpu: a100 -> h100", only what differs
  std::vector<QuantityDifference> quantities = {};  // bytes first, then counters by name

  [[nodiscard]] const QuantityDifference& bytes() const { return quantities.front(); }
  /// No row of any quantity changed.
  [[nodiscard]] bool is_empty() const;
};

/// Post: difference(a, a).is_empty(); difference(b, a) has the same rows with before and after
/// exchanged; the deltas of the rows of an edge add up to the edge's delta, and those of the edges
/// to the total's.
[[nodiscard]] LedgerDifference difference(const Ledger& before, const Ledger& after);

}  // namespace warpledger
