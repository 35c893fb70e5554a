#include <fmt/core.h>

#include "warpledger/plan/parser.h"

namespace warpledger::plan {
namespace {

constexpr int kMaxDepth = 64;                    // of parentheses
constexpr int64_t kMaxValue = int64_t{1} << 40;  // of any number: products of two do not overflow

}  // namespace

Result<int64_t> Parser::expression(int depth) {
  WL_TRY(int64_t value, product(depth));
  while (peek().is("+") || peek().is("-")) {
    const Token sign = next();
    WL_TRY(const int64_t other, product(depth));
    value = sign.is("+") ? value + other : value - other;
    if (value > kMaxValue || value < -kMaxValue) {
      return fault(sign.span, "this sum is too large", "", "too-large");
    }
  }
  return value;
}

Result<int64_t> Parser::product(int depth) {
  WL_TRY(int64_t value, factor(depth));
  while (peek().is("*") || peek().is("/")) {
    const Token sign = next();
    WL_TRY(const int64_t other, factor(depth));
    if (sign.is("/") && (other == 0 || value % other != 0)) {
      return fault(sign.span, fmt::format("{} / {} is not a whole number", value, other), "",
                   "not-whole");
    }
    int64_t product = 0;
    if (sign.is("*") && (__builtin_mul_overflow(value, other, &product) || product > kMaxValue ||
                         product < -kMaxValue)) {
      return fault(sign.span, "this product is too large", "", "too-large");
    }
    value = sign.is("*") ? product : value / other;
  }
  return value;
}

Result<int64_t> Parser::factor(int depth) {
  const Token token = peek();
  if (depth > kMaxDepth) return fault(token.span, "too many parentheses", "", "too-deep");
  if (accept("(")) {
    WL_TRY(const int64_t value, expression(depth + 1));
    WL_TRY_STATUS(expect(")"));
    return value;
  }
  if (token.kind == Token::Kind::kNumber) {
    next();
    if (token.value <= kMaxValue) return token.value;
    return fault(token.span, "this number is too large", "", "too-large");
  }
  if (token.kind != Token::Kind::kWord) {
    return fault(token.span, "expected a number or the name of a size here", "", "syntax");
  }
  const auto known = plan_.sizes.find(std::string(token.text));
  if (known != plan_.sizes.end()) return next(), known->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : plan_.sizes) names.push_back(name);
  std::string hint = did_you_mean(token.text, names);
  if (hint.empty()) hint = fmt::format("define it first: let {} = 64", token.text);
  return fault(token.span, fmt::format("unknown size '{}'", token.text), hint, "unknown-size");
}

Result<int64_t> Parser::number_in(std::string_view what, int64_t low, int64_t high) {
  const Span begin = peek().span;
  WL_TRY(const int64_t value, expression());
  if (value >= low && value <= high) return value;
  return fault(begin, fmt::format("{} is {}..{}, not {}", what, low, high, value), "",
               "out-of-range");
}

Result<std::vector<int64_t>> Parser::shape() {
  const Span begin = peek().span;
  WL_TRY_STATUS(expect("["));
  std::vector<int64_t> extents;
  int64_t elements = 1;
  do {
    WL_TRY(const int64_t extent, number_in("an extent", 1, int64_t{1} << 20));
    extents.push_back(extent);
    elements = elements > kMaxValue / extent ? kMaxValue + 1 : elements * extent;
  } while (accept(","));
  WL_TRY_STATUS(expect("]"));
  if (elements > int64_t{1} << 30) return fault(begin, "this shape is too large", "", "too-large");
  return extents;
}

std::vector<std::string> Parser::event_and_phase_names() const {
  std::vector<std::string> names = plan_.order.names();
  for (const Phase& phase : plan_.phases) names.push_back(phase.name);
  return names;
}

Result<EventId> Parser::event(bool as_end) {
  WL_TRY(const Token name, expect_name("an event or a phase"));
  for (const Phase& phase : plan_.phases) {
    if (phase.name == name.text) return as_end ? phase.end : phase.begin;
  }
  if (const auto found = plan_.order.find(name.text)) return *found;
  std::string hint = did_you_mean(name.text, event_and_phase_names());
  if (hint.empty()) hint = "declare it first: phases NAME ... or events NAME ...";
  return fault(name.span, fmt::format("unknown event or phase '{}'", name.text), hint,
               "unknown-event");
}

Result<Lifetime> Parser::lifetime() {
  if (accept("all")) return Lifetime{};
  const size_t first = at_;
  WL_TRY(const EventId begin, event(false));
  if (accept("..")) {
    WL_TRY(const EventId end, event(true));
    return Lifetime{begin, end};
  }
  for (const Phase& phase : plan_.phases) {
    if (phase.name == tokens_[first].text) return Lifetime{phase.begin, phase.end};
  }
  return fault(tokens_[first].span,
               fmt::format("the lifetime {}.. has no end", tokens_[first].text),
               "write two events, as in loaded..released, or one phase", "syntax");
}

Result<std::vector<Lifetime>> Parser::lifetimes() {
  std::vector<Lifetime> lives;
  do {
    WL_TRY(const Lifetime life, lifetime());
    lives.push_back(life);
  } while (accept(","));
  return lives;
}

}  // namespace warpledger::plan
