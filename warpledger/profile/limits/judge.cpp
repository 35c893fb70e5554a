#include "warpledger/profile/limits/judge.h"

#include <fmt/format.h>

#include <cmath>

#include "warpledger/base/number.h"

namespace warpledger::profile::budget {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

/// "ld.global.nc.f32" of "@%p1 ld.global.nc.f32 %f1, [%rd1];".
std::string opcode_of(const std::string& text) {
  const size_t start = text.starts_with('@') ? text.find(' ') + 1 : 0;
  return text.substr(start, text.find_first_of(" ;", start) - start);
}

/// Puts a profile's values into formulas.
class Evaluation {
 public:
  Evaluation(const Limit& limit, const Profile& profile, std::optional<double> baseline)
      : limit_(limit), evidence_{profile, profile.counters}, baseline_(baseline) {}

  /// Nothing when a value is not known; why() says which.
  std::optional<double> operator()(const Formula& formula) {
    std::vector<double> stack;
    for (const Term& term : formula) {
      const std::optional<double> leaf = leaf_value(term);
      if (!why_.empty()) return {};
      if (leaf) {
        stack.push_back(*leaf);
        continue;
      }
      apply(term.op, stack);
    }
    WL_CHECK(stack.size() == 1);
    if (!std::isfinite(stack[0])) why_ = "a division by zero";
    return why_.empty() ? std::optional(stack[0]) : std::nullopt;
  }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] Fidelity fidelity() const { return fidelity_; }

 private:
  std::optional<double> leaf_value(const Term& term) {
    switch (term.op) {
      case Op::kNumber:
        return term.number;
      case Op::kName:
        return known(find_quantity(term.name)->value(evidence_), term.name);
      case Op::kIdeal:
        return known(find_quantity(limit_.subject())->ideal(evidence_), "ideal");
      case Op::kBaseline:
        if (!baseline_) why_ = "the baseline has no value yet; --update-baseline writes it";
        return baseline_;
      default:
        return {};
    }
  }
  std::optional<double> known(const Value& value, const std::string& name) {
    const std::optional<double> number = value.number();
    if (!number) {
      why_ = fmt::format("'{}' is not known for this launch", name);
      if (!evidence_.profile.no_machine.empty()) why_ += ": " + evidence_.profile.no_machine;
    }
    fidelity_ = weakest(fidelity_, value.fidelity);
    return number;
  }
  static void apply(Op op, std::vector<double>& stack) {
    if (op == Op::kNegate) {
      stack.back() = -stack.back();
      return;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    left = op == Op::kAdd        ? left + right
           : op == Op::kSubtract ? left - right
           : op == Op::kMultiply ? left * right
                                 : left / right;
  }

  const Limit& limit_;
  Evidence evidence_;
  std::optional<double> baseline_;
  Fidelity fidelity_ = Fidelity::kExact;
  std::string why_;
};

}  // namespace

std::string_view to_text(State state) {
  constexpr std::string_view kWords[] = {"kept", "broken", "unknown"};
  return kWords[static_cast<size_t>(state)];
}

std::string number_text(double value) {
  if (std::abs(value) < kLargestWhole && std::floor(value) == value) {
    return group_thousands(static_cast<int64_t>(value));
  }
  // Enough digits to see by how little a limit is missed.
  return group_thousands(std::string_view(std::abs(value) < 1e15 ? fmt::format("{:.4f}", value)
                                                                 : fmt::format("{:.0f}", value)));
}

Status check_names(const Limit& limit, const Source& source) {
  for (const Formula* side : {&limit.left, &limit.right}) {
    for (const Term& term : *side) {
      if (term.op == Op::kName) {
        const Result<Quantity> found = find_quantity(term.name);
        if (found) continue;
        Diagnostic fault = found.error();
        fault.at = source.locate(term.span);
        return fault;
      }
      if (term.op != Op::kIdeal) continue;
      const Result<Quantity> subject = find_quantity(limit.subject());
      if (!subject || subject->ideal) continue;
      std::vector<std::string> known;
      for (const Quantity& one : short_names()) {
        if (one.ideal) known.push_back(one.name);
      }
      return Diagnostic{
          .message = fmt::format("'{}' has no ideal value", limit.subject()),
          .hint = fmt::format("metrics with an ideal value: {}", fmt::join(known, ", ")),
          .code = "bad-limit",
          .at = source.locate(term.span)};
    }
  }
  return {};
}

Judgment judge(const Limit& limit, const Profile& profile, const Baseline& baseline,
               const std::string& launch) {
  Judgment result{.limit = limit.text, .metric = limit.subject()};
  if (!result.metric.empty()) result.baseline = baseline.find(launch, result.metric);
  Evaluation evaluate(limit, profile, result.baseline);
  const std::optional<double> left = evaluate(limit.left);
  const std::optional<double> right = left ? evaluate(limit.right) : std::nullopt;
  result.fidelity = evaluate.fidelity();
  if (left) result.value = *left;
  if (!left || !right) {
    result.why = evaluate.why();
    return result;
  }
  result.bound = *right;
  result.state = holds(limit.comparison, *left, *right) ? State::kKept : State::kBroken;
  for (const Term& term : limit.left) {
    if (term.op != Op::kName) continue;
    const Result<Quantity> quantity = find_quantity(term.name);
    if (result.unit.empty()) result.unit = quantity->unit;
    if (result.state == State::kBroken && result.culprits.empty()) {
      result.culprits = culprits_of(*quantity, profile);
    }
  }
  return result;
}

std::string sentence_of(const Judgment& judgment) {
  if (judgment.state == State::kUnknown) return judgment.why;
  const std::string unit =
      judgment.unit.empty() || judgment.unit == "%" ? judgment.unit : " " + judgment.unit;
  std::string text =
      fmt::format("is {}{} ({})", number_text(judgment.value), unit, to_text(judgment.fidelity));
  if (judgment.state == State::kKept) return text;
  const double excess = judgment.value - judgment.bound;
  text += fmt::format(", the limit is {}: {} {}", number_text(judgment.bound),
                      number_text(std::abs(excess)), excess < 0 ? "less" : "more");
  if (judgment.bound != 0 && excess != 0) {
    text += fmt::format(" ({:+.1f} %)", 100 * excess / std::abs(judgment.bound));
  }
  return text;
}

std::string to_text(const Culprit& culprit) {
  const std::string place =
      culprit.where.line ? to_text(culprit.where) : fmt::format("PTX line {}", culprit.ptx_line);
  return fmt::format("{}: {:.0f} % of it, most by {}", place, 100 * culprit.share,
                     opcode_of(culprit.text));
}

}  // namespace warpledger::profile::budget
