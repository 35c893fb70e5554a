// Private to algebra/: FLINT's polynomials with an owner, and the reduced quotient of two.
// No header outside this folder includes this one, so that FLINT's types stay here.
#pragma once

#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>

#include <memory>
#include <string>
#include <vector>

namespace warpledger {

using Names = std::vector<std::string>;

/// Polynomials with integer coefficients over `names` (sorted, none twice; none is allowed).
class Ring {
 public:
  explicit Ring(Names names);
  ~Ring() { fmpz_mpoly_ctx_clear(context_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const fmpz_mpoly_ctx_struct* context() const { return context_; }

 private:
  Names names_;
  fmpz_mpoly_ctx_t context_;
};

using RingPointer = std::shared_ptr<const Ring>;

/// The ring without names; shared, because making a ring costs more than most sums.
[[nodiscard]] const RingPointer& ring_of_constants();

/// An integer of any length.
class Integer {
 public:
  Integer() { fmpz_init(value_); }
  explicit Integer(int64_t n) { fmpz_init_set_si(value_, n); }
  Integer(const Integer& other) { fmpz_init_set(value_, other.value_); }
  Integer& operator=(const Integer& other) {
    fmpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { fmpz_clear(value_); }
  [[nodiscard]] fmpz* raw() { return value_; }
  [[nodiscard]] const fmpz* raw() const { return value_; }
  [[nodiscard]] int sign() const { return fmpz_sgn(value_); }
  [[nodiscard]] bool is_one() const { return fmpz_is_one(value_) != 0; }
  [[nodiscard]] std::string to_text() const;

 private:
  fmpz_t value_;
};

/// One term c * x0^e0 * x1^e1 ... over the names of a ring.
struct Term {
  Integer coefficient;
  std::vector<int64_t> exponents;
};

class Polynomial {
 public:
  explicit Polynomial(RingPointer ring, int64_t constant = 0);
  Polynomial(const Polynomial& other);
  Polynomial(Polynomial&& other) noexcept;
  Polynomial& operator=(Polynomial other) noexcept;
  ~Polynomial() { fmpz_mpoly_clear(value_, context()); }

  [[nodiscard]] const RingPointer& ring() const { return ring_; }
  [[nodiscard]] const fmpz_mpoly_ctx_struct* context() const { return ring_->context(); }
  [[nodiscard]] fmpz_mpoly_struct* raw() { return value_; }
  [[nodiscard]] const fmpz_mpoly_struct* raw() const { return value_; }

  [[nodiscard]] bool is_zero() const { return fmpz_mpoly_is_zero(value_, context()) != 0; }
  [[nodiscard]] bool is_one() const { return fmpz_mpoly_is_one(value_, context()) != 0; }
  [[nodiscard]] bool is_constant() const { return fmpz_mpoly_is_fmpz(value_, context()) != 0; }
  /// Pre: is_constant().
  [[nodiscard]] Integer constant() const;
  [[nodiscard]] std::vector<Term> terms() const;

  /// The same polynomial over another ring, which holds every name that occurs.
  [[nodiscard]] Polynomial over(const RingPointer& ring) const;

 private:
  RingPointer ring_;
  fmpz_mpoly_t value_;
};

// Pre of all: both over the same ring.
[[nodiscard]] Polynomial sum(const Polynomial& a, const Polynomial& b);
[[nodiscard]] Polynomial difference(const Polynomial& a, const Polynomial& b);
[[nodiscard]] Polynomial product(const Polynomial& a, const Polynomial& b);

/// numerator / denominator with gcd 1, a positive leading coefficient below, over exactly the
/// names that occur: the same function has one Fraction.
class Fraction {
 public:
  /// Reduces. Pre: both over one ring, denominator not zero.
  Fraction(const Polynomial& numerator, const Polynomial& denominator);

  [[nodiscard]] const Polynomial& numerator() const { return numerator_; }
  [[nodiscard]] const Polynomial& denominator() const { return denominator_; }
  [[nodiscard]] const Names& names() const { return numerator_.ring()->names(); }

 private:
  Polynomial numerator_;
  Polynomial denominator_;
};

[[nodiscard]] Fraction constant_fraction(const Integer& n);

}  // namespace warpledger
