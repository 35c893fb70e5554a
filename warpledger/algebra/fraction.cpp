#include "warpledger/algebra/fraction.h"

#include <algorithm>

#include "warpledger/base/check.h"

namespace warpledger {
namespace {

/// A ring over those of `a`'s names that occur in `a` or `b`.
RingPointer used_ring(const Polynomial& a, const Polynomial& b) {
  const Names& names = a.ring()->names();
  std::vector<int> in_a(names.size()), in_b(names.size());
  fmpz_mpoly_used_vars(in_a.data(), a.raw(), a.context());
  fmpz_mpoly_used_vars(in_b.data(), b.raw(), b.context());
  Names used;
  for (size_t i = 0; i < names.size(); ++i) {
    if (in_a[i] != 0 || in_b[i] != 0) used.push_back(names[i]);
  }
  if (used.empty()) return ring_of_constants();
  return used == names ? a.ring() : std::make_shared<Ring>(std::move(used));
}

}  // namespace

Ring::Ring(Names names) : names_(std::move(names)) {
  fmpz_mpoly_ctx_init(context_, static_cast<slong>(names_.size()), ORD_LEX);
}

const RingPointer& ring_of_constants() {
  static const RingPointer ring = std::make_shared<Ring>(Names{});
  return ring;
}

std::string Integer::to_text() const {
  std::string text(fmpz_sizeinbase(value_, 10) + 2, '\0');
  fmpz_get_str(text.data(), 10, value_);
  text.resize(text.find('\0'));
  return text;
}

Polynomial::Polynomial(RingPointer ring, int64_t constant) : ring_(std::move(ring)) {
  fmpz_mpoly_init(value_, context());
  fmpz_mpoly_set_si(value_, constant, context());
}

Polynomial::Polynomial(const Polynomial& other) : ring_(other.ring_) {
  fmpz_mpoly_init(value_, context());
  fmpz_mpoly_set(value_, other.value_, context());
}

Polynomial::Polynomial(Polynomial&& other) noexcept : ring_(other.ring_) {
  fmpz_mpoly_init(value_, context());  // allocates nothing
  fmpz_mpoly_swap(value_, other.value_, context());
}

Polynomial& Polynomial::operator=(Polynomial other) noexcept {
  std::swap(ring_, other.ring_);
  std::swap(*value_, *other.value_);
  return *this;
}

Integer Polynomial::constant() const {
  WL_CHECK(is_constant());
  Integer c;
  fmpz_mpoly_get_fmpz(c.raw(), value_, context());
  return c;
}

std::vector<Term> Polynomial::terms() const {
  std::vector<Term> terms(static_cast<size_t>(fmpz_mpoly_length(value_, context())));
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto index = static_cast<slong>(i);
    std::vector<slong> exponents(ring_->names().size());
    fmpz_mpoly_get_term_coeff_fmpz(terms[i].coefficient.raw(), value_, index, context());
    fmpz_mpoly_get_term_exp_si(exponents.data(), value_, index, context());
    terms[i].exponents.assign(exponents.begin(), exponents.end());
  }
  return terms;
}

Polynomial Polynomial::over(const RingPointer& ring) const {
  if (ring->names() == ring_->names()) return *this;
  std::vector<slong> places;
  for (const std::string& name : ring_->names()) {
    const auto at = std::lower_bound(ring->names().begin(), ring->names().end(), name);
    const bool present = at != ring->names().end() && *at == name;
    places.push_back(present ? at - ring->names().begin() : -1);  // -1 becomes 0 in FLINT
  }
  Polynomial moved(ring);
  fmpz_mpoly_compose_fmpz_mpoly_gen(moved.raw(), value_, places.data(), context(), moved.context());
  return moved;
}

Polynomial sum(const Polynomial& a, const Polynomial& b) {
  Polynomial r(a.ring());
  fmpz_mpoly_add(r.raw(), a.raw(), b.raw(), r.context());
  return r;
}

Polynomial difference(const Polynomial& a, const Polynomial& b) {
  Polynomial r(a.ring());
  fmpz_mpoly_sub(r.raw(), a.raw(), b.raw(), r.context());
  return r;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial r(a.ring());
  fmpz_mpoly_mul(r.raw(), a.raw(), b.raw(), r.context());
  return r;
}

Fraction::Fraction(const Polynomial& numerator, const Polynomial& denominator)
    : numerator_(numerator.ring()), denominator_(numerator.ring()) {
  WL_CHECK(!denominator.is_zero());
  Polynomial n(numerator.ring()), d(numerator.ring()), gcd(numerator.ring());
  WL_CHECK(fmpz_mpoly_gcd_cofactors(gcd.raw(), n.raw(), d.raw(), numerator.raw(), denominator.raw(),
                                    gcd.context()));
  Integer leading;
  fmpz_mpoly_get_term_coeff_fmpz(leading.raw(), d.raw(), 0, d.context());
  if (leading.sign() < 0) {
    fmpz_mpoly_neg(n.raw(), n.raw(), n.context());
    fmpz_mpoly_neg(d.raw(), d.raw(), d.context());
  }
  const RingPointer ring = used_ring(n, d);
  const bool moves = ring != n.ring();
  numerator_ = moves ? n.over(ring) : std::move(n);
  denominator_ = moves ? d.over(ring) : std::move(d);
}

Fraction constant_fraction(const Integer& n) {
  Polynomial p(ring_of_constants());
  fmpz_mpoly_set_fmpz(p.raw(), n.raw(), p.context());
  return Fraction(p, Polynomial(p.ring(), 1));
}

}  // namespace warpledger
