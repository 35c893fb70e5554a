// The text of an expression, by precedence climbing:
//   sum := [-] product {(+|-) product};  product := power {(*|/) power}
//   power := atom [^ [-] number];        atom := number | name | ( sum ) | - atom
// A text can ask for more algebra than any ledger needs ((a+b+c)^1000); what grows beyond the
// bounds below is refused rather than computed.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/algebra/expression.h"
#include "warpledger/algebra/fraction.h"
#include "warpledger/base/scanner.h"

namespace warpledger {
namespace {

constexpr int kDeepest = 100;     // brackets within brackets
constexpr int64_t kTerms = 500;   // of a numerator or denominator before it is reduced
constexpr int64_t kDegree = 64;   // sum of the exponents of one term
constexpr int64_t kBits = 8192;   // of a coefficient
constexpr size_t kDigits = 1000;  // of a number in the text

/// An upper bound for what an operation may produce.
struct Extent {
  int64_t terms = 1;
  int64_t degree = 0;
  int64_t bits = 1;

  explicit Extent(const Expression& e) {
    const Fraction f = e.fraction();
    for (const Polynomial* p : {&f.numerator(), &f.denominator()}) {
      terms = std::max<int64_t>(terms, fmpz_mpoly_length(p->raw(), p->context()));
      degree = std::max<int64_t>(degree, fmpz_mpoly_total_degree_si(p->raw(), p->context()));
      const auto width = fmpz_mpoly_max_bits(p->raw());
      bits = std::max<int64_t>(bits, width < 0 ? -width : width);
    }
  }
  [[nodiscard]] bool fits() const { return terms <= kTerms && degree <= kDegree && bits <= kBits; }
};

Extent combined(Extent a, const Extent& b) {
  a.terms *= b.terms;
  a.degree += b.degree;
  a.bits += b.bits;
  return a;
}

class Parser {
 public:
  explicit Parser(const Source& source)
      : scan_(source, {.blanks = " \t\r\n", .code = "bad-expression"}) {}

  Result<Expression> whole() {
    WL_TRY(Expression e, sum());
    if (!scan_.at_end()) return scan_.error("expected an operator or the end of the expression");
    return e;
  }

 private:
  [[nodiscard]] Diagnostic from(uint32_t begin, std::string message, std::string code) const {
    Diagnostic fault = scan_.error_at(scan_.span_from(begin), std::move(message));
    fault.code = std::move(code);
    return fault;
  }

  Result<Expression> apply(char op, const Expression& a, const Expression& b, uint32_t begin) {
    if (op == '/' && b.is_zero()) return from(begin, "division by zero", "division-by-zero");
    if (!combined(Extent(a), Extent(b)).fits()) {
      return from(begin, "the expression is too large", "expression-too-large");
    }
    switch (op) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      default:
        return a / b;
    }
  }

  Result<Expression> sum() {
    const uint32_t begin = scan_.position();
    WL_TRY(Expression e, product());
    for (;;) {
      const char op = scan_.take("+") ? '+' : scan_.take("-") ? '-' : '\0';
      if (op == '\0') return e;
      WL_TRY(const Expression next, product());
      WL_TRY(e, apply(op, e, next, begin));
    }
  }

  Result<Expression> product() {
    const uint32_t begin = scan_.position();
    WL_TRY(Expression e, power());
    for (;;) {
      const char op = scan_.take("*") ? '*' : scan_.take("/") ? '/' : '\0';
      if (op == '\0') return e;
      WL_TRY(const Expression next, power());
      WL_TRY(e, apply(op, e, next, begin));
    }
  }

  /// -N^2 is -(N^2).
  Result<Expression> power() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    if (scan_.take("-")) {
      if (++depth_ > kDeepest) return scan_.error("brackets and signs nest too deeply");
      WL_TRY(const Expression e, power());
      --depth_;
      return -e;
    }
    WL_TRY(Expression e, atom());
    if (!scan_.take("^")) return e;
    const bool below = scan_.take("-");
    WL_TRY(const int exponent, small_exponent());
    if (below && e.is_zero()) return from(begin, "division by zero", "division-by-zero");
    Expression raised = 1;
    for (int i = 0; i < exponent; ++i) {
      WL_TRY(raised, apply('*', raised, e, begin));
    }
    return below ? Expression(1) / raised : raised;
  }

  Result<int> small_exponent() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    int64_t n = 0;
    for (const char digit : scan_.take_while(Scanner::is_digit)) {
      n = std::min<int64_t>(n * 10 + (digit - '0'), kDegree + 1);
    }
    if (scan_.position() == begin) return scan_.error("expected a whole number as exponent");
    if (n > kDegree) {
      return from(begin, fmt::format("an exponent is at most {}", kDegree), "expression-too-large");
    }
    return static_cast<int>(n);
  }

  Result<Expression> atom() {
    scan_.skip_blanks();
    if (Scanner::is_digit(scan_.peek())) return number();
    if (Scanner::is_letter(scan_.peek())) return name();
    if (!scan_.take("(")) return scan_.error("expected a number, a size or '('");
    if (++depth_ > kDeepest) return scan_.error("brackets and signs nest too deeply");
    WL_TRY(Expression inner, sum());
    if (!scan_.take(")")) return scan_.error("expected ')'");
    --depth_;
    return inner;
  }

  Expression name() { return Expression::size(std::string(scan_.take_while(Scanner::is_word))); }

  Result<Expression> number() {
    const uint32_t begin = scan_.position();
    const std::string digits(scan_.take_while(Scanner::is_digit));
    if (digits.size() > kDigits) {
      return from(begin, fmt::format("a number has at most {} digits", kDigits),
                  "expression-too-large");
    }
    Integer n;
    fmpz_set_str(n.raw(), digits.c_str(), 10);
    return Expression::of(constant_fraction(n));
  }

  Scanner scan_;
  int depth_ = 0;
};

}  // namespace

Result<Expression> parse_expression(const Source& source) { return Parser(source).whole(); }

Result<Expression> parse_expression(std::string_view text) {
  return parse_expression(Source("expression", std::string(text)));
}

}  // namespace warpledger
