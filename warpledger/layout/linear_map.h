// LinearMap: a map between two bit spaces that is linear over F2, f(x ^ y) = f(x) ^ f(y), stored as
// one packed output word per input bit (its bases). Every tensor-core fragment, swizzle and
// power-of-two strided layout is one. A zero basis is a replicated bit: both of its values hold the
// same element.
//
// The m16n8 accumulator, (register 4, lane 32) -> (row 16, col 8):
//   register bit   0: col 1   1: row 8
//   lane bit       0: col 2   1: col 4   2: row 1   3: row 2   4: row 4
// so element 3 of lane 5 (bits 0 and 1; bits 0 and 2) is row 8^1 = 9, column 1^2 = 3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/layout/space.h"

namespace warpledger {

class LinearMap {
 public:
  LinearMap() = default;
  /// bases[b] is the image of input bit b. Pre: both are bit spaces of at most 32 bits;
  /// bases.size() == from.bits(); every base < to.size().
  LinearMap(Space from, Space to, std::vector<uint64_t> bases);

  [[nodiscard]] const Space& from() const { return from_; }
  [[nodiscard]] const Space& to() const { return to_; }
  [[nodiscard]] const std::vector<uint64_t>& bases() const { return bases_; }

  /// The sum of the bases at the set bits of x.
  [[nodiscard]] uint64_t operator()(uint64_t x) const;
  /// The coordinates of the image of a point given by coordinates.
  [[nodiscard]] std::vector<int64_t> at(const std::vector<int64_t>& coordinates) const;
  /// The bases of one input dimension, low bit first; none when there is no such dimension.
  [[nodiscard]] std::vector<uint64_t> bases_of(std::string_view dim) const;

  [[nodiscard]] int rank() const;
  [[nodiscard]] bool is_injective() const { return rank() == from_.bits(); }
  [[nodiscard]] bool is_surjective() const { return rank() == to_.bits(); }

  friend bool operator==(const LinearMap&, const LinearMap&) = default;

 private:
  Space from_;
  Space to_;
  std::vector<uint64_t> bases_;
};

/// identity(s)(x) == x.
[[nodiscard]] LinearMap identity(const Space& space);
/// zero(from, to)(x) == 0: everything replicated.
[[nodiscard]] LinearMap zero(const Space& from, const Space& to);

/// compose(f, g)(x) == f(g(x)). Fails unless g.to() == f.from().
[[nodiscard]] Result<LinearMap> compose(const LinearMap& f, const LinearMap& g);

/// inverse(f)(f(x)) == x and f(inverse(f)(y)) == y. Fails unless f is a bijection.
[[nodiscard]] Result<LinearMap> inverse(const LinearMap& f);

/// f(g(f(x))) == f(x) with g = pseudo_inverse(f); g uses only the lowest of equivalent input bits,
/// and g(y) == 0 on a complement of the image.
[[nodiscard]] LinearMap pseudo_inverse(const LinearMap& f);

/// g(h(x)) == f(x) with h = solve(g, f). Fails unless image(f) is within image(g).
[[nodiscard]] Result<LinearMap> solve(const LinearMap& g, const LinearMap& f);

/// The direct sum: dimensions of equal name are joined, f's bits below g's.
/// product(f, g) agrees with f where g's bits are 0, and with g, shifted above f, where f's are.
[[nodiscard]] LinearMap product(const LinearMap& f, const LinearMap& g);

/// product(f, divide(p, f)) == p; nothing when p has no such factor.
[[nodiscard]] std::optional<LinearMap> divide(const LinearMap& p, const LinearMap& f);

/// f without the dimension `dim` of both sides, when f is the identity on it and mixes it with
/// nothing else; nothing otherwise.
[[nodiscard]] std::optional<LinearMap> quotient(const LinearMap& f, std::string_view dim);

/// A basis of {x : f(x) == 0}.
[[nodiscard]] std::vector<uint64_t> kernel(const LinearMap& f);
/// Independent bases of f that span {f(x)}.
[[nodiscard]] std::vector<uint64_t> image(const LinearMap& f);

/// f on the inputs whose other dimensions are 0; the dimensions come in the order given.
[[nodiscard]] LinearMap restrict_inputs(const LinearMap& f, const std::vector<std::string>& dims);
/// f followed by dropping every output dimension that is not named.
[[nodiscard]] LinearMap project_outputs(const LinearMap& f, const std::vector<std::string>& dims);
/// The same bits under another division into dimensions. Pre: equal number of bits.
[[nodiscard]] LinearMap reshape_inputs(const LinearMap& f, const Space& from);
[[nodiscard]] LinearMap reshape_outputs(const LinearMap& f, const Space& to);
/// The same map with the output dimensions in another order. Pre: same names.
[[nodiscard]] LinearMap reorder_outputs(const LinearMap& f, const std::vector<std::string>& dims);

}  // namespace warpledger
