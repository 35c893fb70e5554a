#include "warpledger/profile/limits/limit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "warpledger/base/scanner.h"

namespace warpledger::profile::budget {
namespace {

constexpr size_t kLongest = 4096;  // of a limit's text
constexpr int kDeepest = 64;       // brackets and signs within each other
constexpr const char* kHint = "write e.g. dram.bytes <= 1.02 * ideal";

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kUnits[] = {{"KB", 1e3},     {"MB", 1e6},        {"GB", 1e9},
                           {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

class Parser {
 public:
  explicit Parser(const Source& source) : scan_(source, {.code = "bad-limit", .hint = kHint}) {}

  Result<Limit> whole() {
    const std::string_view text = scan_.text();
    if (text.size() > kLongest) return scan_.error_at({0, 1}, "this limit is too long");
    Limit limit;
    WL_TRY_STATUS(sum(limit.left, 0));
    WL_TRY(limit.comparison, comparison());
    WL_TRY_STATUS(sum(limit.right, 0));
    if (!scan_.at_end()) return scan_.error("expected the end of the limit");
    limit.text = trimmed(text, " \t");
    WL_TRY_STATUS(check_words(limit));
    return limit;
  }

 private:
  Result<Comparison> comparison() {
    const char c = scan_.next();
    if (scan_.take("<=")) return Comparison::kAtMost;
    if (scan_.take(">=")) return Comparison::kAtLeast;
    if (scan_.take("==") || scan_.take("=")) return Comparison::kEqual;
    if (scan_.take("<")) return Comparison::kBelow;
    if (scan_.take(">")) return Comparison::kAbove;
    if (c == '%')
      return scan_.error("'%' is not allowed here", "write percentages as plain numbers");
    return scan_.error("expected one of = <= < >= >");
  }

  Status sum(Formula& out, int depth) {
    WL_TRY_STATUS(product(out, depth));
    for (;;) {
      const uint32_t begin = scan_.position();
      const bool adds = scan_.take("+");
      if (!adds && !scan_.take("-")) return {};
      WL_TRY_STATUS(product(out, depth));
      out.push_back({.op = adds ? Op::kAdd : Op::kSubtract, .span = scan_.span_from(begin)});
    }
  }

  Status product(Formula& out, int depth) {
    WL_TRY_STATUS(factor(out, depth));
    for (;;) {
      const uint32_t begin = scan_.position();
      const bool multiplies = scan_.take("*");
      if (!multiplies && !scan_.take("/")) return {};
      WL_TRY_STATUS(factor(out, depth));
      out.push_back(
          {.op = multiplies ? Op::kMultiply : Op::kDivide, .span = scan_.span_from(begin)});
    }
  }

  Status factor(Formula& out, int depth) {
    if (depth > kDeepest) return scan_.error("this is nested too deeply");
    const char c = scan_.next();
    const uint32_t begin = scan_.position();
    if (scan_.take("-")) {
      WL_TRY_STATUS(factor(out, depth + 1));
      out.push_back({.op = Op::kNegate, .span = scan_.span_from(begin)});
      return {};
    }
    if (scan_.take("(")) {
      WL_TRY_STATUS(sum(out, depth + 1));
      if (!scan_.take(")")) return scan_.error("expected ')'");
      return {};
    }
    if (Scanner::is_digit(c)) return number(out);
    if (Scanner::is_letter(c)) return name(out);
    if (c == '"' || c == '\'') return label(out, c);
    return scan_.error("expected a number or the name of a metric");
  }

  Status number(Formula& out) {
    const uint32_t begin = scan_.position();
    std::optional<double> value = scan_.take_number<double>();
    if (!value || !std::isfinite(*value)) {
      return scan_.error_at(scan_.span_from(begin), "this number is too large");
    }
    const uint32_t after = scan_.position();
    if (Scanner::is_letter(scan_.next())) {
      const std::string_view unit = scan_.take_while(Scanner::is_word);
      const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                       [&](const Unit& one) { return one.name == unit; });
      if (known == std::end(kUnits)) {
        return scan_.error_at(scan_.span_of(unit), fmt::format("unknown unit '{}'", unit),
                              "use KB, MB, GB, KiB, MiB, GiB, or no unit");
      }
      *value *= known->factor;
    } else {
      scan_.move_to(after);
    }
    out.push_back({.op = Op::kNumber, .number = *value, .span = scan_.span_from(begin)});
    return {};
  }

  Status name(Formula& out) {
    const uint32_t begin = scan_.position();
    const std::string word(
        scan_.take_while([](char c) { return Scanner::is_word(c) || c == '.'; }));
    const Op op = word == "ideal" ? Op::kIdeal : word == "baseline" ? Op::kBaseline : Op::kName;
    out.push_back({.op = op, .name = op == Op::kName ? word : "", .span = scan_.span_from(begin)});
    return {};
  }

  Status label(Formula& out, char quote) {
    const uint32_t begin = scan_.position();
    scan_.skip();
    const uint32_t inside = scan_.position();
    const std::string word(scan_.take_while([quote](char c) { return c != quote; }));
    if (scan_.peek() != quote) {
      scan_.move_to(inside);
      return scan_.error_at(scan_.span_from(begin), "this label is not closed");
    }
    scan_.skip();
    if (word.empty()) return scan_.error_at(scan_.span_from(begin), "this label is empty");
    out.push_back({.op = Op::kName, .name = word, .span = scan_.span_from(begin)});
    return {};
  }

  Status check_words(const Limit& limit) {
    bool named = false;
    for (const Formula* side : {&limit.left, &limit.right}) {
      for (const Term& term : *side) {
        named |= term.op == Op::kName;
        if (term.op != Op::kIdeal && term.op != Op::kBaseline) continue;
        if (side == &limit.right && !limit.subject().empty()) continue;
        const std::string word = term.op == Op::kIdeal ? "ideal" : "baseline";
        return scan_.error_at(term.span,
                              fmt::format("'{}' needs a single metric on the left side", word));
      }
    }
    if (!named) return scan_.error_at({0, 1}, "this limit names no metric");
    return {};
  }

  Scanner scan_;
};

}  // namespace

std::string_view to_text(Comparison comparison) {
  constexpr std::string_view kWords[] = {"=", "<=", "<", ">=", ">"};
  return kWords[static_cast<size_t>(comparison)];
}

bool holds(Comparison comparison, double left, double right) {
  switch (comparison) {
    case Comparison::kEqual:
      return left == right;
    case Comparison::kAtMost:
      return left <= right;
    case Comparison::kBelow:
      return left < right;
    case Comparison::kAtLeast:
      return left >= right;
    case Comparison::kAbove:
      return left > right;
  }
  return false;
}

std::string Limit::subject() const {
  return left.size() == 1 && left[0].op == Op::kName ? left[0].name : "";
}

bool Limit::uses(Op op) const {
  return std::any_of(right.begin(), right.end(), [&](const Term& term) { return term.op == op; });
}

Result<Limit> parse_limit(const Source& source) { return Parser(source).whole(); }

}  // namespace warpledger::profile::budget
