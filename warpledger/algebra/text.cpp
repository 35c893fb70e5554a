// How an expression is written. A sum lists its positive terms first, within them those without a
// division, then by ascending exponents of the sorted names: 12*N*d + 16*N^2, 1 + N/Br.
#include <flint/fmpz_mpoly_factor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "warpledger/algebra/expression.h"
#include "warpledger/algebra/fraction.h"

namespace warpledger {
namespace {

using Exponents = std::vector<int64_t>;

/// coefficient / divisor * names^exponents; a negative exponent divides.
struct Monomial {
  Integer coefficient;
  Integer divisor = Integer(1);
  Exponents exponents;

  [[nodiscard]] bool divides_by_a_size() const {
    return std::any_of(exponents.begin(), exponents.end(), [](int64_t e) { return e < 0; });
  }
};

/// (sum of monomials)^exponent.
struct Factor {
  std::vector<Monomial> sum;
  int64_t exponent = 1;

  [[nodiscard]] bool has_a_negative_term() const {
    return std::any_of(sum.begin(), sum.end(),
                       [](const Monomial& m) { return m.coefficient.sign() < 0; });
  }
};

/// coefficient * names^exponents * factors.
struct Product {
  Integer coefficient = Integer(1);
  Exponents exponents;
  std::vector<Factor> factors = {};
};

Integer negated(const Integer& n) {
  Integer r;
  fmpz_neg(r.raw(), n.raw());
  return r;
}

void append_powers(std::vector<std::string>& parts, const Names& names, const Exponents& exponents,
                   int sign) {
  for (size_t i = 0; i < names.size(); ++i) {
    const int64_t e = sign * exponents[i];
    if (e == 1) parts.push_back(names[i]);
    if (e > 1) parts.push_back(fmt::format("{}^{}", names[i], e));
  }
}

std::string quotient(const std::vector<std::string>& above, const std::vector<std::string>& below) {
  const std::string top = above.empty() ? "1" : fmt::format("{}", fmt::join(above, "*"));
  if (below.empty()) return top;
  if (below.size() == 1) return top + "/" + below[0];
  return fmt::format("{}/({})", top, fmt::join(below, "*"));
}

/// Without its sign.
std::string monomial_text(const Monomial& m, const Names& names) {
  std::vector<std::string> above, below;
  const Integer size = m.coefficient.sign() < 0 ? negated(m.coefficient) : m.coefficient;
  if (!size.is_one()) above.push_back(size.to_text());
  if (!m.divisor.is_one()) below.push_back(m.divisor.to_text());
  append_powers(above, names, m.exponents, 1);
  append_powers(below, names, m.exponents, -1);
  return quotient(above, below);
}

std::string sum_text(std::vector<Monomial> sum, const Names& names) {
  std::sort(sum.begin(), sum.end(), [](const Monomial& a, const Monomial& b) {
    const auto key = [](const Monomial& m) {
      return std::tuple(m.coefficient.sign() < 0, m.divides_by_a_size(), m.exponents);
    };
    return key(a) < key(b);
  });
  std::string text;
  for (const Monomial& m : sum) {
    const bool negative = m.coefficient.sign() < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += monomial_text(m, names);
  }
  return text.empty() ? "0" : text;
}

std::vector<Monomial> monomials(const Polynomial& p) {
  std::vector<Monomial> sum;
  for (Term& t : p.terms()) {
    sum.push_back({.coefficient = t.coefficient, .exponents = std::move(t.exponents)});
  }
  return sum;
}

// Beyond it the search for factors can take minutes: (a-b)^40 - b + 1 does. Sizes of kernels stay
// far below.
constexpr slong kFactoredDegree = 12;

/// Irreducible factors, or beyond that degree those that a derivative shows.
bool find_factors(fmpz_mpoly_factor_t found, const Polynomial& p) {
  const bool small = fmpz_mpoly_total_degree_si(p.raw(), p.context()) <= kFactoredDegree;
  return (small ? fmpz_mpoly_factor : fmpz_mpoly_factor_squarefree)(found, p.raw(), p.context()) !=
         0;
}

/// The factors of `p`, which has no monomial factor; p itself where FLINT gives up. FLINT returns
/// them up to the sign that it adds to `coefficient`.
std::vector<Factor> factors_of(const Polynomial& p, Integer& coefficient) {
  if (p.is_constant()) return {};
  std::vector<Factor> factors;
  fmpz_mpoly_factor_t found;
  fmpz_mpoly_factor_init(found, p.context());
  if (find_factors(found, p)) {
    fmpz_mul(coefficient.raw(), coefficient.raw(), found->constant);
    for (slong i = 0; i < found->num; ++i) {
      Polynomial base(p.ring());
      fmpz_mpoly_factor_get_base(base.raw(), found, i, p.context());
      factors.push_back({monomials(base), fmpz_mpoly_factor_get_exp_si(found, i, p.context())});
    }
  } else {
    factors.push_back({monomials(p)});
  }
  fmpz_mpoly_factor_clear(found, p.context());
  return factors;
}

Product factored(const Polynomial& p) {
  Polynomial content(p.ring()), rest(p.ring());
  fmpz_mpoly_term_content(content.raw(), p.raw(), p.context());
  fmpz_mpoly_divexact(rest.raw(), p.raw(), content.raw(), p.context());
  const Term outside = content.terms()[0];
  Product product{outside.coefficient, outside.exponents};
  if (rest.is_constant()) {
    fmpz_mul(product.coefficient.raw(), product.coefficient.raw(), rest.constant().raw());
  }
  product.factors = factors_of(rest, product.coefficient);
  return product;
}

/// Moves a minus sign into the first factor that reads better for it: -(N - d) becomes d - N.
void absorb_sign(Product& product) {
  if (product.coefficient.sign() > 0) return;
  for (Factor& f : product.factors) {
    if (f.exponent % 2 == 0 || !f.has_a_negative_term()) continue;
    for (Monomial& m : f.sum) m.coefficient = negated(m.coefficient);
    product.coefficient = negated(product.coefficient);
    return;
  }
}

/// (N + Br)/Br becomes 1 + N/Br: a denominator of sizes alone moves into the only sum above,
/// provided that it cancels in one of the terms.
void move_division_inside(Product& above, Product& below) {
  const auto positive = [](int64_t e) { return e > 0; };
  if (!below.factors.empty() || above.factors.size() != 1 || above.factors[0].exponent != 1 ||
      std::none_of(below.exponents.begin(), below.exponents.end(), positive)) {
    return;
  }
  std::vector<Monomial> divided = above.factors[0].sum;
  for (Monomial& m : divided) {
    for (size_t i = 0; i < m.exponents.size(); ++i) m.exponents[i] -= below.exponents[i];
  }
  const auto whole = [](const Monomial& m) { return !m.divides_by_a_size(); };
  if (std::none_of(divided.begin(), divided.end(), whole)) return;
  above.factors[0].sum = std::move(divided);
  below.exponents.assign(below.exponents.size(), 0);
}

/// The parts of a product, without its sign.
std::vector<std::string> parts_of(const Product& product, const Names& names) {
  std::vector<std::string> parts, sums;
  const Integer& c = product.coefficient;
  const Integer size = c.sign() < 0 ? negated(c) : c;
  if (!size.is_one()) parts.push_back(size.to_text());
  append_powers(parts, names, product.exponents, 1);
  for (const Factor& f : product.factors) {
    const std::string power = f.exponent == 1 ? "" : fmt::format("^{}", f.exponent);
    sums.push_back(fmt::format("({}){}", sum_text(f.sum, names), power));
  }
  std::sort(sums.begin(), sums.end(), [](const std::string& a, const std::string& b) {
    return std::tuple(a.size(), a) < std::tuple(b.size(), b);
  });
  parts.insert(parts.end(), sums.begin(), sums.end());
  return parts;
}

}  // namespace

std::string Expression::to_text() const {
  if (is_zero()) return "0";
  const Fraction f = fraction();
  Product above = factored(f.numerator()), below = factored(f.denominator());
  absorb_sign(above);
  move_division_inside(above, below);
  const std::vector<std::string> top = parts_of(above, f.names()),
                                 bottom = parts_of(below, f.names());
  const std::string sign = above.coefficient.sign() * below.coefficient.sign() < 0 ? "-" : "";
  const bool lone_sum = top.size() == 1 && bottom.empty() && above.factors.size() == 1 &&
                        above.factors[0].exponent == 1;
  if (lone_sum && sign.empty()) return sum_text(above.factors[0].sum, f.names());
  return sign + quotient(top, bottom);
}

std::string Expression::expanded_text() const {
  const Fraction f = fraction();
  std::vector<Monomial> above = monomials(f.numerator()), below = monomials(f.denominator());
  if (below.size() > 1) {
    const std::string top = sum_text(above, f.names());
    return fmt::format("{}/({})", above.size() > 1 ? "(" + top + ")" : top,
                       sum_text(below, f.names()));
  }
  for (Monomial& m : above) {
    Integer gcd;
    fmpz_gcd(gcd.raw(), m.coefficient.raw(), below[0].coefficient.raw());
    fmpz_divexact(m.coefficient.raw(), m.coefficient.raw(), gcd.raw());
    fmpz_divexact(m.divisor.raw(), below[0].coefficient.raw(), gcd.raw());
    for (size_t i = 0; i < m.exponents.size(); ++i) m.exponents[i] -= below[0].exponents[i];
  }
  return sum_text(above, f.names());
}

}  // namespace warpledger
