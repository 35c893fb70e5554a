#include "warpledger/profile/limits/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace warpledger::profile::budget {
namespace {

constexpr size_t kLongest = 4096;  // of a limit's text
constexpr int kDeepest = 64;       // brackets and signs within each other
constexpr const char* kHint = "write e.g. dram.bytes <= 1.02 * ideal";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kUnits[] = {{"KB", 1e3},     {"MB", 1e6},        {"GB", 1e9},
                           {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), text_(source.text()) {}

  Result<Limit> whole() {
    if (text_.size() > kLongest) return fault({0, 1}, "this limit is too long");
    Limit limit;
    WL_TRY_STATUS(sum(limit.left, 0));
    WL_TRY(limit.comparison, comparison());
    WL_TRY_STATUS(sum(limit.right, 0));
    static_cast<void>(peek());
    if (at_ != text_.size()) return wrong("expected the end of the limit");
    const size_t first = text_.find_first_not_of(" \t");
    limit.text = text_.substr(first, text_.find_last_not_of(" \t") - first + 1);
    WL_TRY_STATUS(check_words(limit));
    return limit;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view token) {
    if (peek() == 0 || text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] Diagnostic fault(Span span, std::string message, std::string hint = kHint) const {
    return {.message = std::move(message),
            .hint = std::move(hint),
            .code = "bad-limit",
            .at = source_.locate(span)};
  }
  [[nodiscard]] Span span_from(size_t begin) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(at_, begin + 1))};
  }
  [[nodiscard]] Diagnostic wrong(std::string message) const {
    return fault(span_from(at_), std::move(message));
  }

  Result<Comparison> comparison() {
    const char c = peek();
    if (take("<=")) return Comparison::kAtMost;
    if (take(">=")) return Comparison::kAtLeast;
    if (take("==") || take("=")) return Comparison::kEqual;
    if (take("<")) return Comparison::kBelow;
    if (take(">")) return Comparison::kAbove;
    if (c == '%')
      return fault(span_from(at_), "'%' means nothing here", "percent are plain numbers");
    return wrong("expected one of = <= < >= >");
  }

  Status sum(Formula& out, int depth) {
    WL_TRY_STATUS(product(out, depth));
    for (;;) {
      const size_t begin = at_;
      const bool adds = take("+");
      if (!adds && !take("-")) return {};
      WL_TRY_STATUS(product(out, depth));
      out.push_back({.op = adds ? Op::kAdd : Op::kSubtract, .span = span_from(begin)});
    }
  }

  Status product(Formula& out, int depth) {
    WL_TRY_STATUS(factor(out, depth));
    for (;;) {
      const size_t begin = at_;
      const bool multiplies = take("*");
      if (!multiplies && !take("/")) return {};
      WL_TRY_STATUS(factor(out, depth));
      out.push_back({.op = multiplies ? Op::kMultiply : Op::kDivide, .span = span_from(begin)});
    }
  }

  Status factor(Formula& out, int depth) {
    if (depth > kDeepest) return wrong("this is nested too deeply");
    const char c = peek();
    const size_t begin = at_;
    if (take("-")) {
      WL_TRY_STATUS(factor(out, depth + 1));
      out.push_back({.op = Op::kNegate, .span = span_from(begin)});
      return {};
    }
    if (take("(")) {
      WL_TRY_STATUS(sum(out, depth + 1));
      if (!take(")")) return wrong("expected ')'");
      return {};
    }
    if (is_digit(c)) return number(out);
    if (is_letter(c)) return name(out);
    if (c == '"' || c == '\'') return label(out, c);
    return wrong("expected a number or the name of a metric");
  }

  Status number(Formula& out) {
    const size_t begin = at_;
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto read = std::from_chars(text_.data() + begin, end, value);
    at_ = static_cast<size_t>(read.ptr - text_.data());
    if (read.ec != std::errc() || !std::isfinite(value)) {
      return fault(span_from(begin), "this number is too large");
    }
    const size_t after = at_;
    if (is_letter(peek())) {
      const size_t word = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      const std::string_view unit = text_.substr(word, at_ - word);
      const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                       [&](const Unit& one) { return one.name == unit; });
      if (known == std::end(kUnits)) {
        return fault(span_from(word), fmt::format("unknown unit '{}'", unit),
                     "KB, MB, GB, KiB, MiB, GiB, or none");
      }
      value *= known->factor;
    } else {
      at_ = after;
    }
    out.push_back({.op = Op::kNumber, .number = value, .span = span_from(begin)});
    return {};
  }

  Status name(Formula& out) {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    const Op op = word == "ideal" ? Op::kIdeal : word == "baseline" ? Op::kBaseline : Op::kName;
    out.push_back({.op = op, .name = op == Op::kName ? word : "", .span = span_from(begin)});
    return {};
  }

  Status label(Formula& out, char quote) {
    const size_t begin = at_++;
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) return fault(span_from(begin), "this label has no end");
    const std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    if (word.empty()) return fault(span_from(begin), "this label is empty");
    out.push_back({.op = Op::kName, .name = word, .span = span_from(begin)});
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
        return fault(term.span,
                     fmt::format("'{}' is that of one metric alone on the left side", word));
      }
    }
    if (!named) return fault({0, 1}, "this limit names no metric");
    return {};
  }

  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
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
