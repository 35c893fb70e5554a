// The text of an expression, by precedence climbing:
//   sum := [-] product {(+|-) product};  product := power {(*|/) power}
//   power := atom [^ [-] number];        atom := number | name | ( sum ) | - atom
// A text can ask for more algebra than any ledger needs ((a+b+c)^1000); what grows beyond the
// bounds below is refused rather than computed.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/algebra/expression.h"
#include "warpledger/algebra/fraction.h"

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
  explicit Parser(const Source& source) : source_(source) {}

  Result<Expression> whole() {
    WL_TRY(Expression e, sum());
    skip_blanks();
    if (at_ != text().size()) return wrong("expected an operator or the end of the expression");
    return e;
  }

 private:
  [[nodiscard]] std::string_view text() const { return source_.text(); }
  [[nodiscard]] char peek() const { return at_ < text().size() ? text()[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text().size() && std::string_view(" \t\r\n").find(text()[at_]) != text().npos) {
      ++at_;
    }
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text().size() || text()[at_] != c) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] Diagnostic fault(Span span, std::string message, std::string code) const {
    return {.message = std::move(message), .code = std::move(code), .at = source_.locate(span)};
  }
  [[nodiscard]] Diagnostic wrong(std::string message) const {
    const auto here = static_cast<uint32_t>(at_);
    return fault({here, here + 1}, std::move(message), "bad-expression");
  }
  [[nodiscard]] Diagnostic from(size_t begin, std::string message, std::string code) const {
    return fault({static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}, std::move(message),
                 std::move(code));
  }

  Result<Expression> apply(char op, const Expression& a, const Expression& b, size_t begin) {
    if (op == '/' && b.is_zero()) return from(begin, "division by zero", "division-by-zero");
    if (!combined(Extent(a), Extent(b)).fits()) {
      return from(begin, "the expression grows too large to be exact about",
                  "expression-too-large");
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
    const size_t begin = at_;
    WL_TRY(Expression e, product());
    for (;;) {
      const char op = take('+') ? '+' : take('-') ? '-' : '\0';
      if (op == '\0') return e;
      WL_TRY(const Expression next, product());
      WL_TRY(e, apply(op, e, next, begin));
    }
  }

  Result<Expression> product() {
    const size_t begin = at_;
    WL_TRY(Expression e, power());
    for (;;) {
      const char op = take('*') ? '*' : take('/') ? '/' : '\0';
      if (op == '\0') return e;
      WL_TRY(const Expression next, power());
      WL_TRY(e, apply(op, e, next, begin));
    }
  }

  /// -N^2 is -(N^2).
  Result<Expression> power() {
    skip_blanks();
    const size_t begin = at_;
    if (take('-')) {
      if (++depth_ > kDeepest) return wrong("brackets and signs nest too deeply");
      WL_TRY(const Expression e, power());
      --depth_;
      return -e;
    }
    WL_TRY(Expression e, atom());
    if (!take('^')) return e;
    const bool below = take('-');
    WL_TRY(const int exponent, small_exponent());
    if (below && e.is_zero()) return from(begin, "division by zero", "division-by-zero");
    Expression raised = 1;
    for (int i = 0; i < exponent; ++i) {
      WL_TRY(raised, apply('*', raised, e, begin));
    }
    return below ? Expression(1) / raised : raised;
  }

  Result<int> small_exponent() {
    skip_blanks();
    const size_t begin = at_;
    int64_t n = 0;
    while (is_digit(peek())) n = std::min<int64_t>(n * 10 + (text()[at_++] - '0'), kDegree + 1);
    if (at_ == begin) return wrong("expected a whole number as exponent");
    if (n > kDegree) {
      return from(begin, fmt::format("an exponent is at most {}", kDegree), "expression-too-large");
    }
    return static_cast<int>(n);
  }

  Result<Expression> atom() {
    skip_blanks();
    if (is_digit(peek())) return number();
    if (is_size_name(text().substr(at_, 1))) return name();
    if (!take('(')) return wrong("expected a number, a size or '('");
    if (++depth_ > kDeepest) return wrong("brackets and signs nest too deeply");
    WL_TRY(Expression inner, sum());
    if (!take(')')) return wrong("expected ')'");
    --depth_;
    return inner;
  }

  Expression name() {
    const size_t begin = at_;
    while (is_digit(peek()) || is_size_name(text().substr(at_, 1))) ++at_;
    return Expression::size(std::string(text().substr(begin, at_ - begin)));
  }

  Result<Expression> number() {
    const size_t begin = at_;
    while (is_digit(peek())) ++at_;
    const std::string digits(text().substr(begin, at_ - begin));
    if (digits.size() > kDigits) {
      return from(begin, fmt::format("a number has at most {} digits", kDigits),
                  "expression-too-large");
    }
    Integer n;
    fmpz_set_str(n.raw(), digits.c_str(), 10);
    return Expression::of(constant_fraction(n));
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  const Source& source_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Expression> parse_expression(const Source& source) { return Parser(source).whole(); }

Result<Expression> parse_expression(std::string_view text) {
  return parse_expression(Source("expression", std::string(text)));
}

}  // namespace warpledger
