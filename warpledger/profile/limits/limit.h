// profile/limits/: what a kernel may cost, written down and held to. A limit is one comparison:
//
//   shared.bank_conflicts = 0
//   dram.bytes <= 1.02 * ideal
//   l1tex__t_sector_hit_rate.pct >= 80
//   "L2 Hit Rate" >= baseline - 1
//   dram.read_bytes + dram.write_bytes < 64 MiB
//
//   limit   := sum ('=' | '<=' | '<' | '>=' | '>') sum
//   sum     := product (('+' | '-') product)*
//   product := factor (('*' | '/') factor)*
//   factor  := '-' factor | '(' sum ')' | number [unit] | name | '"' label '"'
//   unit    := KB | MB | GB | KiB | MiB | GiB
//
// A name is one of quantity.h. `ideal` and `baseline` are those of what stands alone on the left:
// the least that the same accesses could cost, and what a baseline file holds.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::profile::budget {

enum class Op : uint8_t {
  kNumber,
  kName,
  kIdeal,
  kBaseline,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate
};

struct Term {
  Op op = Op::kNumber;
  double number = 0;      // kNumber
  std::string name = {};  // kName
  Span span = {};
  friend bool operator==(const Term&, const Term&) = default;
};

/// In postfix order, never empty.
using Formula = std::vector<Term>;

enum class Comparison : uint8_t { kEqual, kAtMost, kBelow, kAtLeast, kAbove };
[[nodiscard]] std::string_view to_text(Comparison comparison);
[[nodiscard]] bool holds(Comparison comparison, double left, double right);

struct Limit {
  Formula left = {};
  Comparison comparison = Comparison::kEqual;
  Formula right = {};
  std::string text = {};  // as written, without blanks around it

  /// The name that stands alone on the left; "" when something else does.
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] bool uses(Op op) const;
};

/// Diagnostics ("bad-limit") point into `source`. Names are not looked up here.
[[nodiscard]] Result<Limit> parse_limit(const Source& source);

}  // namespace warpledger::profile::budget
