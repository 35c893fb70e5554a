// symbol/: exact expressions over the sizes of a problem.
//
// An Expression is a quotient of two polynomials with integer coefficients over named sizes, e.g.
//   12*N*d + 16*N^2        8*N*d*(1 + N/Br)
// kept reduced, so that two expressions are equal exactly when they are the same function. Nothing
// is ever rounded and no integer overflows. A constant expression is our exact rational number.
//
// Limits: no ceiling or floor. A tile that does not divide its dimension has no closed form here;
// the caller assumes that divisions are exact (`Br divides N`) and checks it when sizes are given
// (is_integer). This folder knows nothing of bytes, levels or programs. FLINT does the algebra and
// is seen by the sources of this folder alone.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger {

class Fraction;  // private to symbol/
class Expression;

/// Values for sizes, by name.
using Sizes = std::map<std::string, int64_t, std::less<>>;
using Substitution = std::map<std::string, Expression, std::less<>>;

/// A letter or '_', then letters, digits and '_'.
[[nodiscard]] bool is_size_name(std::string_view word);

class Expression {
 public:
  Expression() = default;                                         // 0
  Expression(int64_t n) : value_(n) {}                            // NOLINT: 4 * N reads well
  [[nodiscard]] static Expression size(const std::string& name);  // Pre: is_size_name(name)
  [[nodiscard]] static Expression of(Fraction fraction);          // for symbol/ alone

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  /// Pre: b is not zero (as a function; it may vanish for some sizes).
  friend Expression operator/(const Expression& a, const Expression& b);
  friend Expression operator-(const Expression& a) { return Expression(0) - a; }
  Expression& operator+=(const Expression& b) { return *this = *this + b; }
  Expression& operator-=(const Expression& b) { return *this = *this - b; }
  Expression& operator*=(const Expression& b) { return *this = *this * b; }
  Expression& operator/=(const Expression& b) { return *this = *this / b; }
  /// Pre: exponent >= 0, or the expression is not zero. pow(0) is 1.
  [[nodiscard]] Expression pow(int exponent) const;

  /// Equal as functions.
  friend bool operator==(const Expression& a, const Expression& b);

  [[nodiscard]] bool is_zero() const { return *this == Expression(0); }
  [[nodiscard]] bool is_constant() const { return sizes().empty(); }
  /// A constant whole number, of any length.
  [[nodiscard]] bool is_integer() const;
  /// The value of a constant whole number that fits.
  [[nodiscard]] std::optional<int64_t> as_integer() const;
  /// The sizes that the expression depends on, sorted.
  [[nodiscard]] std::vector<std::string> sizes() const;
  /// The reduced quotient; the denominator's leading coefficient is positive.
  [[nodiscard]] Expression numerator() const;
  [[nodiscard]] Expression denominator() const;

  /// Every named size replaced at once; names that do not occur are passed over. Fails with
  /// "zero-denominator" where the result is no function.
  [[nodiscard]] Result<Expression> substitute(const Substitution& values) const;
  /// The constant at these sizes. Fails with "missing-size" or "zero-denominator".
  [[nodiscard]] Result<Expression> evaluate(const Sizes& sizes) const;

  /// Simplified and factored: `4*N*(3*d + 4*N)`, `8*N*d*(1 + N/Br)`.
  [[nodiscard]] std::string to_text() const;
  /// Multiplied out: `12*N*d + 16*N^2`, `8*N*d + 8*N^2*d/Br`.
  [[nodiscard]] std::string expanded_text() const;

  /// For symbol/ alone: a constant of 64 bits is kept here, anything else as a Fraction.
  [[nodiscard]] Fraction fraction() const;

 private:
  std::variant<int64_t, std::shared_ptr<const Fraction>> value_ = int64_t{0};
};

/// Pre: both are constant.
[[nodiscard]] std::strong_ordering compare(const Expression& a, const Expression& b);

/// For pictures and percentages: the nearest double where numerator and denominator fit 53 bits,
/// else cut towards 0. Pre: constant.
[[nodiscard]] double to_double(const Expression& constant);

/// The limit of the expression as `size` grows without bound, the other sizes held; absent when
/// there is none. The limit of a ratio is limit_at_infinity(a / b, size).
[[nodiscard]] std::optional<Expression> limit_at_infinity(const Expression& e,
                                                          const std::string& size);

/// Reads what to_text and expanded_text write: whole numbers, names, + - * / ^ and brackets.
/// Post: *parse_expression(e.to_text()) == e == *parse_expression(e.expanded_text()).
[[nodiscard]] Result<Expression> parse_expression(const Source& source);
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);

}  // namespace warpledger
