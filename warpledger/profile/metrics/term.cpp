#include "warpledger/profile/metrics/term.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/check.h"

namespace warpledger::profile {

struct Term::Node {
  Kind kind = Kind::kNumber;
  int number = 0;
  Input input = {};
  std::string name = {};
  std::vector<Term> parts = {};
};

namespace {

using Kind = Term::Kind;

/// A part of a formula while it is evaluated: factors have no say in the fidelity.
struct Operand {
  RawValue raw = {};
  std::optional<Fidelity> fidelity = {};

  [[nodiscard]] std::optional<double> number() const { return Value{.raw = raw}.number(); }
};

std::optional<Fidelity> weakest_of(const Operand& a, const Operand& b) {
  if (!a.fidelity || !b.fidelity) return a.fidelity ? a.fidelity : b.fidelity;
  return weakest(*a.fidelity, *b.fidelity);
}

RawValue whole(Kind kind, int64_t a, int64_t b) {
  if (kind == Kind::kSum) return a + b;
  if (kind == Kind::kProduct) return a * b;
  return kind == Kind::kExcess ? std::max<int64_t>(0, a - b) : a - b;
}

RawValue real(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::kSum:
      return a + b;
    case Kind::kDifference:
      return a - b;
    case Kind::kExcess:
      return std::max(0.0, a - b);
    case Kind::kProduct:
      return a * b;
    case Kind::kRatio:
      return b == 0 ? 0.0 : a / b;
    default:
      return a / b;
  }
}

Operand combine(Kind kind, const Operand& a, const Operand& b) {
  const auto x = a.number(), y = b.number();
  if (!x || !y) return {};
  const auto* m = std::get_if<int64_t>(&a.raw);
  const auto* n = std::get_if<int64_t>(&b.raw);
  const bool divides = kind == Kind::kRatio || kind == Kind::kQuotient;
  const RawValue raw = m && n && !divides ? whole(kind, *m, *n) : real(kind, *x, *y);
  if (const auto* result = std::get_if<double>(&raw); result && !std::isfinite(*result)) return {};
  return {raw, weakest_of(a, b)};
}

Operand busiest_of(const std::vector<Operand>& parts, bool has_time) {
  if (!has_time) return {};
  double most = 0;
  for (const Operand& part : parts) most = std::max(most, part.number().value_or(0));
  return {most, Fidelity::kModeled};
}

/// Binds as tightly as its operation: what stands in a product is put in brackets when it is a sum.
int precedence(Kind kind) {
  switch (kind) {
    case Kind::kSum:
    case Kind::kDifference:
      return 1;
    case Kind::kProduct:
    case Kind::kRatio:
    case Kind::kQuotient:
      return 2;
    default:
      return 3;
  }
}

std::string bracketed(const Term& term, int outer) {
  const std::string text = term.text();
  return precedence(term.kind()) < outer ? fmt::format("({})", text) : text;
}

std::string joined(const std::vector<Term>& parts) {
  std::string text;
  for (const Term& part : parts) text += (text.empty() ? "" : ", ") + part.text();
  return text;
}

}  // namespace

/// One walk over a tree.
struct Term::Evaluation {
  const Lookup& of;
  bool has_time;

  [[nodiscard]] Operand operator()(const Term& term) const {
    const Node& node = *term.node_;
    switch (node.kind) {
      case Kind::kNumber:
        return {int64_t{node.number}, {}};
      case Kind::kInput: {
        const Value value = of(node.input);
        return {value.raw, node.input.is_factor ? std::nullopt : std::optional(value.fidelity)};
      }
      case Kind::kNamed:
        return (*this)(node.parts[0]);
      case Kind::kBusiest: {
        std::vector<Operand> parts;
        for (const Term& part : node.parts) parts.push_back((*this)(part));
        return busiest_of(parts, has_time);
      }
      default:
        return combine(node.kind, (*this)(node.parts[0]), (*this)(node.parts[1]));
    }
  }
};

Term::Term(int number) : node_(std::make_shared<Node>(Node{.number = number})) {}
Term::Term(Input input)
    : node_(std::make_shared<Node>(Node{.kind = Kind::kInput, .input = std::move(input)})) {}
Term::Term(Kind kind, std::vector<Term> parts)
    : node_(std::make_shared<Node>(Node{.kind = kind, .parts = std::move(parts)})) {}

Term Term::named(std::string metric, Term is) {
  Term term;
  term.node_ = std::make_shared<Node>(
      Node{.kind = Kind::kNamed, .name = std::move(metric), .parts = {std::move(is)}});
  return term;
}
Term Term::ratio(Term a, Term b) { return {Kind::kRatio, {std::move(a), std::move(b)}}; }
Term Term::quotient(Term a, Term b) { return {Kind::kQuotient, {std::move(a), std::move(b)}}; }
Term Term::excess(Term a, Term b) { return {Kind::kExcess, {std::move(a), std::move(b)}}; }
Term Term::busiest(std::vector<Term> parts) { return {Kind::kBusiest, std::move(parts)}; }
Term operator+(Term a, Term b) { return {Kind::kSum, {std::move(a), std::move(b)}}; }
Term operator-(Term a, Term b) { return {Kind::kDifference, {std::move(a), std::move(b)}}; }
Term operator*(Term a, Term b) { return {Kind::kProduct, {std::move(a), std::move(b)}}; }

Kind Term::kind() const { return node_->kind; }
const std::string& Term::name() const { return node_->name; }
const Input& Term::input() const { return node_->input; }
const std::vector<Term>& Term::parts() const { return node_->parts; }

Value Term::evaluate(const Lookup& of, bool has_time) const {
  WL_CHECK(node_ != nullptr);
  if (node_->kind == Kind::kInput) return of(node_->input);  // words, too
  const Operand made = Evaluation{of, has_time}(*this);
  if (std::holds_alternative<std::monostate>(made.raw)) return not_modeled();
  return {.raw = made.raw, .fidelity = made.fidelity.value_or(Fidelity::kExact)};
}

Value Term::operator()(const Evidence& evidence) const {
  return evaluate([&](const Input& input) { return input.value(evidence); },
                  evidence.profile.timing.has_value());
}

std::string Term::text() const {
  const std::vector<Term>& parts = node_->parts;
  switch (node_->kind) {
    case Kind::kNumber:
      return fmt::format("{}", node_->number);
    case Kind::kInput:
      return node_->input.name;
    case Kind::kNamed:
      return node_->name;
    case Kind::kSum:
      return fmt::format("{} + {}", parts[0].text(), parts[1].text());
    case Kind::kDifference:
      return fmt::format("{} - {}", parts[0].text(), bracketed(parts[1], 2));
    case Kind::kExcess:
      return fmt::format("max(0, {} - {})", parts[0].text(), bracketed(parts[1], 2));
    case Kind::kProduct:
      return parts[1].is_one_over()
                 ? fmt::format("{} / {}", bracketed(parts[0], 2), bracketed(parts[1].parts()[1], 3))
                 : fmt::format("{} x {}", bracketed(parts[0], 2), bracketed(parts[1], 2));
    case Kind::kBusiest:
      return fmt::format("the largest of ({})", joined(parts));
    default:
      return fmt::format("{} / {}", bracketed(parts[0], 2), bracketed(parts[1], 3));
  }
}

bool Term::is_one_over() const {
  return kind() == Kind::kQuotient && parts()[0].kind() == Kind::kNumber &&
         parts()[0].node_->number == 1;
}

}  // namespace warpledger::profile
