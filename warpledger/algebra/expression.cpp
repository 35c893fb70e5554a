#include "warpledger/algebra/expression.h"

#include <flint/fmpq.h>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "warpledger/algebra/fraction.h"

namespace warpledger {
namespace {

RingPointer common_ring(const Fraction& a, const Fraction& b) {
  const Names &x = a.names(), &y = b.names();
  if (std::includes(x.begin(), x.end(), y.begin(), y.end())) return a.numerator().ring();
  if (std::includes(y.begin(), y.end(), x.begin(), x.end())) return b.numerator().ring();
  Names names;
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(names));
  return std::make_shared<Ring>(std::move(names));
}

/// a and b over one ring.
struct Pair {
  Polynomial an, ad, bn, bd;
  Pair(const Fraction& a, const Fraction& b) : Pair(a, b, common_ring(a, b)) {}
  Pair(const Fraction& a, const Fraction& b, const RingPointer& ring)
      : an(a.numerator().over(ring)),
        ad(a.denominator().over(ring)),
        bn(b.numerator().over(ring)),
        bd(b.denominator().over(ring)) {}
};

const int64_t* small(const std::variant<int64_t, std::shared_ptr<const Fraction>>& value) {
  return std::get_if<int64_t>(&value);
}

/// The value of a polynomial at `values` of its names.
Expression value_of(const Polynomial& p, const std::vector<Expression>& values) {
  Expression total;
  for (const Term& term : p.terms()) {
    Expression t = Expression::of(constant_fraction(term.coefficient));
    for (size_t i = 0; i < values.size(); ++i) {
      t *= values[i].pow(static_cast<int>(term.exponents[i]));
    }
    total += t;
  }
  return total;
}

}  // namespace

bool is_size_name(std::string_view word) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !word.empty() && letter(word[0]) && std::all_of(word.begin(), word.end(), inner);
}

Expression Expression::size(const std::string& name) {
  WL_CHECK(is_size_name(name));
  Polynomial variable(std::make_shared<Ring>(Names{name}));
  fmpz_mpoly_gen(variable.raw(), 0, variable.context());
  return of(Fraction(variable, Polynomial(variable.ring(), 1)));
}

Expression Expression::of(Fraction fraction) {
  Expression e;
  if (fraction.names().empty() && fraction.denominator().is_one()) {
    const Integer n = fraction.numerator().constant();
    if (fmpz_fits_si(n.raw())) return Expression(fmpz_get_si(n.raw()));
  }
  e.value_ = std::make_shared<const Fraction>(std::move(fraction));
  return e;
}

Fraction Expression::fraction() const {
  if (const int64_t* n = small(value_)) {
    return Fraction(Polynomial(ring_of_constants(), *n), Polynomial(ring_of_constants(), 1));
  }
  return *std::get<1>(value_);
}

Expression operator+(const Expression& a, const Expression& b) {
  const int64_t *x = small(a.value_), *y = small(b.value_);
  int64_t n = 0;
  if (x && y && !__builtin_add_overflow(*x, *y, &n)) return n;
  if (x && *x == 0) return b;
  if (y && *y == 0) return a;
  const Pair p(a.fraction(), b.fraction());
  return Expression::of(
      Fraction(sum(product(p.an, p.bd), product(p.bn, p.ad)), product(p.ad, p.bd)));
}

Expression operator-(const Expression& a, const Expression& b) {
  const int64_t *x = small(a.value_), *y = small(b.value_);
  int64_t n = 0;
  if (x && y && !__builtin_sub_overflow(*x, *y, &n)) return n;
  const Pair p(a.fraction(), b.fraction());
  return Expression::of(
      Fraction(difference(product(p.an, p.bd), product(p.bn, p.ad)), product(p.ad, p.bd)));
}

Expression operator*(const Expression& a, const Expression& b) {
  const int64_t *x = small(a.value_), *y = small(b.value_);
  int64_t n = 0;
  if (x && y && !__builtin_mul_overflow(*x, *y, &n)) return n;
  if (x && *x == 1) return b;
  if (y && *y == 1) return a;
  const Pair p(a.fraction(), b.fraction());
  return Expression::of(Fraction(product(p.an, p.bn), product(p.ad, p.bd)));
}

Expression operator/(const Expression& a, const Expression& b) {
  WL_CHECK(!b.is_zero());
  const Pair p(a.fraction(), b.fraction());
  return Expression::of(Fraction(product(p.an, p.bd), product(p.ad, p.bn)));
}

Expression Expression::pow(int exponent) const {
  if (exponent < 0) return Expression(1) / pow(-exponent);
  Expression power = 1, square = *this;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power *= square;
    if (exponent > 1) square *= square;
  }
  return power;
}

bool operator==(const Expression& a, const Expression& b) {
  const int64_t *x = small(a.value_), *y = small(b.value_);
  if (x || y) return x && y && *x == *y;
  const Fraction &f = *std::get<1>(a.value_), &g = *std::get<1>(b.value_);
  const auto* context = f.numerator().context();
  return f.names() == g.names() &&
         fmpz_mpoly_equal(f.numerator().raw(), g.numerator().raw(), context) &&
         fmpz_mpoly_equal(f.denominator().raw(), g.denominator().raw(), context);
}

std::optional<int64_t> Expression::as_integer() const {
  const int64_t* n = small(value_);
  return n ? std::optional(*n) : std::nullopt;
}

bool Expression::is_integer() const {
  return is_constant() && (small(value_) || std::get<1>(value_)->denominator().is_one());
}

std::vector<std::string> Expression::sizes() const {
  return small(value_) ? Names{} : std::get<1>(value_)->names();
}

Expression Expression::numerator() const {
  const Fraction f = fraction();
  return of(Fraction(f.numerator(), Polynomial(f.numerator().ring(), 1)));
}

Expression Expression::denominator() const {
  const Fraction f = fraction();
  return of(Fraction(f.denominator(), Polynomial(f.denominator().ring(), 1)));
}

Result<Expression> Expression::substitute(const Substitution& values) const {
  const Fraction f = fraction();
  std::vector<Expression> of_name;
  for (const std::string& name : f.names()) {
    const auto found = values.find(name);
    of_name.push_back(found == values.end() ? size(name) : found->second);
  }
  const Expression below = value_of(f.denominator(), of_name);
  if (below.is_zero()) {
    return Diagnostic{.message = fmt::format("the denominator {} is zero at these sizes",
                                             denominator().to_text()),
                      .code = "zero-denominator"};
  }
  return value_of(f.numerator(), of_name) / below;
}

Result<Expression> Expression::evaluate(const Sizes& sizes_given) const {
  for (const std::string& name : sizes()) {
    if (sizes_given.contains(name)) continue;
    return Diagnostic{.message = fmt::format("no value for the size '{}' of {}", name, to_text()),
                      .hint = fmt::format("give it one, e.g. {}=64", name),
                      .code = "missing-size"};
  }
  return substitute(Substitution(sizes_given.begin(), sizes_given.end()));
}

std::strong_ordering compare(const Expression& a, const Expression& b) {
  const Fraction f = (a - b).fraction();
  return f.numerator().constant().sign() <=> 0;  // the denominator is positive
}

double to_double(const Expression& constant) {
  const Fraction f = constant.fraction();
  const Integer above = f.numerator().constant(), below = f.denominator().constant();
  if (fmpz_bits(above.raw()) <= 53 && fmpz_bits(below.raw()) <= 53) {
    return fmpz_get_d(above.raw()) / fmpz_get_d(below.raw());
  }
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_fmpz_frac(q, above.raw(), below.raw());
  const double value = fmpq_get_d(q);
  fmpq_clear(q);
  return value;
}

std::optional<Expression> limit_at_infinity(const Expression& e, const std::string& size) {
  const Fraction f = e.fraction();
  const auto at = std::find(f.names().begin(), f.names().end(), size);
  if (at == f.names().end()) return e;
  const slong variable = at - f.names().begin();
  const auto* context = f.numerator().context();
  const slong above = fmpz_mpoly_degree_si(f.numerator().raw(), variable, context);
  const slong below = fmpz_mpoly_degree_si(f.denominator().raw(), variable, context);
  if (above > below) return std::nullopt;
  if (above < below) return Expression(0);
  const ulong degree = static_cast<ulong>(above);
  Polynomial n(f.numerator().ring()), d(f.numerator().ring());
  fmpz_mpoly_get_coeff_vars_ui(n.raw(), f.numerator().raw(), &variable, &degree, 1, context);
  fmpz_mpoly_get_coeff_vars_ui(d.raw(), f.denominator().raw(), &variable, &degree, 1, context);
  return Expression::of(Fraction(n, d));
}

}  // namespace warpledger
