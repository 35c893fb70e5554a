// A gate is a condition on two ledgers that must not come true, as written after --fail-if:
//   dram.bytes > +2%            grew by more than two percent
//   dram->smem.bytes >= +4096   grew by 4,096 bytes or more
//   smem.bytes > 1000           is more than 1,000, whatever it was
// metric := scope '.' quantity;  scope := total | level | level '->' level
// quantity := bytes | the name of a counter;  a level's metric adds all edges that touch it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "warpledger/base/result.h"
#include "warpledger/ledger/ledger.h"

namespace warpledger {

/// Of one edge, of all edges that touch a level (`to` absent), or of all (both absent).
struct Metric {
  std::optional<Level> from = {};
  std::optional<Level> to = {};
  std::string quantity = kBytes;

  [[nodiscard]] bool covers(Edge edge) const;
  friend bool operator==(const Metric&, const Metric&) = default;
};

/// "dram.bytes".
[[nodiscard]] std::string to_text(const Metric& metric);

/// Fails with "unknown-counter" when no row counts the quantity.
[[nodiscard]] Result<Figure> value_of(const Ledger& ledger, const Metric& metric);

struct Gate {
  enum class Comparison { kAbove, kAtLeast, kBelow, kAtMost };
  enum class Limit { kValue, kDelta, kPercent };

  Metric metric;
  Comparison comparison = Comparison::kAbove;
  Limit kind = Limit::kValue;
  Amount limit = 0;  // a constant; percent as written: 2 for 2%
  std::string text = {};
};

/// "dram.bytes > +2%". Diagnostics point into `source`.
[[nodiscard]] Result<Gate> parse_gate(const Source& source);

struct GateOutcome {
  Gate gate;
  Figure before;
  Figure after;
  Amount bound;  // what `after` was compared with
  bool failed = false;

  /// "FAILED dram.bytes > +2%: 1,000 -> 1,100 (+100, +10.00 %), the limit is 1,020".
  [[nodiscard]] std::string to_text() const;
};

/// failed == (after COMPARISON bound), where bound is the limit itself, before + limit, or
/// before * (1 + limit/100): growth from 0 exceeds every percentage. Fails with "symbolic-gate"
/// when the answer depends on a size.
[[nodiscard]] Result<GateOutcome> check_gate(const Gate& gate, const Ledger& before,
                                             const Ledger& after);

}  // namespace warpledger
