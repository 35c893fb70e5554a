#include "warpledger/ledger/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "warpledger/base/scanner.h"
#include "warpledger/ledger/table.h"

namespace warpledger {
namespace {

constexpr size_t kLimitDigits = 30;

class Parser {
 public:
  explicit Parser(const Source& source)
      : scan_(source, {.code = "bad-gate", .hint = "write e.g. 'dram.bytes > +2%'"}) {}

  Result<Gate> whole() {
    Gate gate;
    WL_TRY(gate.metric, metric());
    WL_TRY(gate.comparison, comparison());
    WL_TRY_STATUS(limit(gate));
    if (!scan_.at_end()) return scan_.error("expected the end of the gate");
    gate.text = trimmed(scan_.text(), " \t");
    return gate;
  }

 private:
  std::string_view word() {
    scan_.skip_blanks();
    return scan_.take_while(Scanner::is_word);
  }

  Result<Level> level(std::string_view name) const {
    if (const std::optional<Level> found = parse_level(name)) return *found;
    std::vector<std::string> known = {"total"};
    for (const Level each : kLevels) known.emplace_back(to_text(each));
    std::string hint = did_you_mean(name, known);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(known, ", "));
    return scan_.error_at(scan_.span_of(name), fmt::format("unknown level '{}'", name), hint);
  }

  Result<Metric> metric() {
    Metric metric;
    const std::string_view scope = word();
    if (scope.empty()) return scan_.error("expected a metric");
    if (scope != "total") {
      WL_TRY(metric.from, level(scope));
      if (scan_.take("->")) {
        WL_TRY(metric.to, level(word()));
      }
    }
    if (!scan_.take(".")) return scan_.error("expected '.' and a quantity, e.g. '.bytes'");
    metric.quantity = std::string(word());
    if (metric.quantity.empty()) return scan_.error("expected a quantity, e.g. 'bytes'");
    return metric;
  }

  Result<Gate::Comparison> comparison() {
    if (scan_.take(">=")) return Gate::Comparison::kAtLeast;
    if (scan_.take("<=")) return Gate::Comparison::kAtMost;
    if (scan_.take(">")) return Gate::Comparison::kAbove;
    if (scan_.take("<")) return Gate::Comparison::kBelow;
    return scan_.error("expected one of > >= < <=");
  }

  Status limit(Gate& gate) {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    const char sign = scan_.take("+") ? '+' : scan_.take("-") ? '-' : '\0';
    WL_TRY(gate.limit, decimal());
    if (sign == '-') gate.limit = -gate.limit;
    const bool percent = scan_.take("%");
    if (percent && sign == '\0') {
      return scan_.error_at(scan_.span_from(begin), "a percentage is a change and needs a sign",
                            "write +2% or -2%");
    }
    gate.kind = percent        ? Gate::Limit::kPercent
                : sign == '\0' ? Gate::Limit::kValue
                               : Gate::Limit::kDelta;
    return {};
  }

  /// 2, 0.5: exact.
  Result<Amount> decimal() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    Amount value = 0, scale = 1;
    bool after_point = false;
    const auto at_point = [&] {
      return scan_.peek() == '.' && !after_point && scan_.position() > begin;
    };
    for (; Scanner::is_digit(scan_.peek()) || at_point(); scan_.skip()) {
      if (scan_.peek() == '.') {
        after_point = true;
        continue;
      }
      value = value * 10 + (scan_.peek() - '0');
      if (after_point) scale = scale * 10;
      if (scan_.position() - begin > kLimitDigits) return scan_.error("this number is too long");
    }
    const uint32_t end = scan_.position();
    if (end == begin) return scan_.error("expected a number");
    if (scan_.text()[end - 1] == '.') return scan_.error("expected a digit after the point");
    return value / scale;
  }

  Scanner scan_;
};

Amount bound_of(const Gate& gate, const Amount& before) {
  switch (gate.kind) {
    case Gate::Limit::kValue:
      return gate.limit;
    case Gate::Limit::kDelta:
      return before + gate.limit;
    case Gate::Limit::kPercent:
      return before * (1 + gate.limit / 100);
  }
  WL_CHECK(false);
  return 0;
}

bool holds(Gate::Comparison comparison, std::strong_ordering order) {
  switch (comparison) {
    case Gate::Comparison::kAbove:
      return order > 0;
    case Gate::Comparison::kAtLeast:
      return order >= 0;
    case Gate::Comparison::kBelow:
      return order < 0;
    case Gate::Comparison::kAtMost:
      return order <= 0;
  }
  WL_CHECK(false);
  return false;
}

}  // namespace

bool Metric::covers(Edge edge) const {
  if (to) return edge == Edge{*from, *to};
  return !from || edge.touches(*from);
}

std::string to_text(const Metric& metric) {
  std::string scope = metric.from ? std::string(to_text(*metric.from)) : "total";
  if (metric.to) scope += fmt::format("->{}", to_text(*metric.to));
  return fmt::format("{}.{}", scope, metric.quantity);
}

Result<Figure> value_of(const Ledger& ledger, const Metric& metric) {
  const std::set<std::string> known = quantities(ledger);
  if (!known.contains(metric.quantity)) {
    const std::vector<std::string> names(known.begin(), known.end());
    std::string hint = did_you_mean(metric.quantity, names);
    if (hint.empty()) hint = fmt::format("it counts {}", fmt::join(names, ", "));
    return Diagnostic{.message = fmt::format("the ledger '{}' does not count '{}'", ledger.title,
                                             metric.quantity),
                      .hint = hint,
                      .code = "unknown-counter"};
  }
  Figure sum;
  for (const auto& [edge, figure] : edge_totals(ledger, metric.quantity)) {
    if (metric.covers(edge)) sum = sum + figure;
  }
  return sum;
}

Result<Gate> parse_gate(const Source& source) { return Parser(source).whole(); }

Result<GateOutcome> check_gate(const Gate& gate, const Ledger& before, const Ledger& after) {
  WL_TRY(const Figure old_value, value_of(before, gate.metric));
  WL_TRY(const Figure new_value, value_of(after, gate.metric));
  GateOutcome outcome{gate, old_value, new_value, bound_of(gate, old_value.value)};
  const Amount excess = new_value.value - outcome.bound;
  if (!excess.is_constant()) {
    return Diagnostic{.message = fmt::format("the gate '{}' depends on {}", gate.text,
                                             fmt::join(excess.sizes(), ", ")),
                      .hint = fmt::format("give sizes, e.g. --set {}=64", excess.sizes().front()),
                      .code = "symbolic-gate"};
  }
  outcome.failed = holds(gate.comparison, compare(excess, 0));
  return outcome;
}

std::string GateOutcome::to_text() const {
  return fmt::format("{} {}: {}, the limit is {}", failed ? "FAILED" : "passed", gate.text,
                     sentence_of({before, after}), cell_of(Figure{bound, before.fidelity}).text);
}

}  // namespace warpledger
