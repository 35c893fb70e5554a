#include "warpledger/layout/linear_map.h"

#include <fmt/core.h>

#include <bit>

#include "warpledger/layout/elimination.h"

namespace warpledger {
namespace {

constexpr int kMaxBits = 32;  // so that an elimination of inputs and outputs fits a word

uint64_t mask(int bits) { return (uint64_t{1} << bits) - 1; }

}  // namespace

LinearMap::LinearMap(Space from, Space to, std::vector<uint64_t> bases)
    : from_(std::move(from)), to_(std::move(to)), bases_(std::move(bases)) {
  WL_CHECK(from_.is_bits() && from_.bits() <= kMaxBits && to_.is_bits() && to_.bits() <= kMaxBits);
  WL_CHECK(bases_.size() == static_cast<size_t>(from_.bits()));
  for (const uint64_t base : bases_) WL_CHECK(base < static_cast<uint64_t>(to_.size()));
}

uint64_t LinearMap::operator()(uint64_t x) const {
  uint64_t y = 0;
  for (; x != 0; x &= x - 1) y ^= bases_[static_cast<size_t>(std::countr_zero(x))];
  return y;
}

std::vector<int64_t> LinearMap::at(const std::vector<int64_t>& coordinates) const {
  return to_.unpack((*this)(from_.pack(coordinates)));
}

std::vector<uint64_t> LinearMap::bases_of(std::string_view dim) const {
  const auto d = from_.find(dim);
  if (!d) return {};
  const auto first = bases_.begin() + from_.first_bit(*d);
  return {first, first + from_.bits_of(*d)};
}

int LinearMap::rank() const { return rank_of(bases_); }

LinearMap identity(const Space& space) {
  std::vector<uint64_t> bases;
  for (int b = 0; b < space.bits(); ++b) bases.push_back(uint64_t{1} << b);
  return LinearMap(space, space, std::move(bases));
}

LinearMap zero(const Space& from, const Space& to) {
  return LinearMap(from, to, std::vector<uint64_t>(static_cast<size_t>(from.bits()), 0));
}

Result<LinearMap> compose(const LinearMap& f, const LinearMap& g) {
  if (g.to() != f.from()) {
    return Diagnostic{
        .message = fmt::format("cannot compose: the inner map ends in {}, the outer starts at {}",
                               to_text(g.to()), to_text(f.from())),
        .code = "layout-mismatch"};
  }
  std::vector<uint64_t> bases;
  for (const uint64_t base : g.bases()) bases.push_back(f(base));
  return LinearMap(g.from(), f.to(), std::move(bases));
}

Result<LinearMap> inverse(const LinearMap& f) {
  if (!f.is_injective() || !f.is_surjective()) {
    return Diagnostic{.message = fmt::format("a map {} -> {} of rank {} has no inverse",
                                             to_text(f.from()), to_text(f.to()), f.rank()),
                      .hint = "a pseudo-inverse picks one of the replicated inputs",
                      .code = "not-invertible"};
  }
  return pseudo_inverse(f);
}

LinearMap pseudo_inverse(const LinearMap& f) {
  const int inputs = static_cast<int>(f.bases().size());
  // Unit vectors that enlarge the span complete it; their own share of a combination maps to 0.
  std::vector<uint64_t> bases;
  Elimination completed(f.bases());
  for (int b = 0; b < f.to().bits(); ++b) completed.add(uint64_t{1} << b);
  for (int b = 0; b < f.to().bits(); ++b) {
    const auto sources = completed.combination(uint64_t{1} << b);
    WL_CHECK(sources.has_value());
    bases.push_back(*sources & mask(inputs));
  }
  return LinearMap(f.to(), f.from(), std::move(bases));
}

Result<LinearMap> solve(const LinearMap& g, const LinearMap& f) {
  if (g.to() != f.to()) {
    return Diagnostic{.message = fmt::format("the two layouts cover different tensors: {} and {}",
                                             to_text(g.to()), to_text(f.to())),
                      .code = "layout-mismatch"};
  }
  const Elimination span(g.bases());
  std::vector<uint64_t> bases;
  for (const uint64_t base : f.bases()) {
    const auto sources = span.combination(base);
    if (!sources) {
      return Diagnostic{.message = "an element of the first layout is absent from the second",
                        .code = "layout-mismatch"};
    }
    bases.push_back(*sources);
  }
  return LinearMap(f.from(), g.from(), std::move(bases));
}

namespace {

/// The joined space, and where each bit of `a` and of `b` lands in it.
struct Join {
  Space space;
  std::vector<int> from_a;
  std::vector<int> from_b;
};

Join join(const Space& a, const Space& b) {
  std::vector<Dim> dims = a.dims();
  for (const Dim& dim : b.dims()) {
    if (const auto d = a.find(dim.name)) {
      dims[*d].size *= dim.size;
    } else {
      dims.push_back(dim);
    }
  }
  Join joined{Space(dims), {}, {}};
  for (size_t d = 0; d < a.dims().size(); ++d) {
    for (int k = 0; k < a.bits_of(d); ++k) joined.from_a.push_back(joined.space.first_bit(d) + k);
  }
  for (size_t d = 0; d < b.dims().size(); ++d) {
    const size_t at = *joined.space.find(b.dims()[d].name);
    const auto below = a.find(b.dims()[d].name);
    const int first = joined.space.first_bit(at) + (below ? a.bits_of(*below) : 0);
    for (int k = 0; k < b.bits_of(d); ++k) joined.from_b.push_back(first + k);
  }
  return joined;
}

uint64_t scatter(uint64_t word, const std::vector<int>& positions) {
  uint64_t moved = 0;
  for (size_t b = 0; b < positions.size(); ++b) moved |= (word >> b & 1) << positions[b];
  return moved;
}

uint64_t gather(uint64_t word, const std::vector<int>& positions) {
  uint64_t moved = 0;
  for (size_t b = 0; b < positions.size(); ++b) moved |= (word >> positions[b] & 1) << b;
  return moved;
}

/// The packed positions of the bits of the named dimensions, in that order.
std::vector<int> bit_positions(const Space& space, const std::vector<std::string>& names) {
  std::vector<int> positions;
  for (const std::string& name : names) {
    const auto d = space.find(name);
    WL_CHECK(d.has_value());
    for (int k = 0; k < space.bits_of(*d); ++k) positions.push_back(space.first_bit(*d) + k);
  }
  return positions;
}

Space select(const Space& space, const std::vector<std::string>& names) {
  std::vector<Dim> dims;
  for (const std::string& name : names) dims.push_back({name, space.size_of(name)});
  return Space(std::move(dims));
}

/// What is left of `whole` after the low bits of `part`; nothing when it does not fit.
std::optional<Space> space_divide(const Space& whole, const Space& part) {
  std::vector<Dim> dims;
  for (const Dim& dim : part.dims()) {
    if (dim.size > whole.size_of(dim.name)) return std::nullopt;
  }
  for (const Dim& dim : whole.dims()) {
    const int64_t left = dim.size / part.size_of(dim.name);
    dims.push_back({dim.name, left});
  }
  return Space(std::move(dims));
}

}  // namespace

LinearMap product(const LinearMap& f, const LinearMap& g) {
  const Join in = join(f.from(), g.from());
  const Join out = join(f.to(), g.to());
  std::vector<uint64_t> bases(static_cast<size_t>(in.space.bits()));
  for (size_t b = 0; b < f.bases().size(); ++b) {
    bases[static_cast<size_t>(in.from_a[b])] = scatter(f.bases()[b], out.from_a);
  }
  for (size_t b = 0; b < g.bases().size(); ++b) {
    bases[static_cast<size_t>(in.from_b[b])] = scatter(g.bases()[b], out.from_b);
  }
  return LinearMap(in.space, out.space, std::move(bases));
}

std::optional<LinearMap> divide(const LinearMap& p, const LinearMap& f) {
  const auto from = space_divide(p.from(), f.from());
  const auto to = space_divide(p.to(), f.to());
  if (!from || !to) return std::nullopt;
  const Join in = join(f.from(), *from);
  const Join out = join(f.to(), *to);
  if (in.space != p.from() || out.space != p.to()) return std::nullopt;
  std::vector<uint64_t> bases;
  for (const int position : in.from_b) {
    bases.push_back(gather(p.bases()[static_cast<size_t>(position)], out.from_b));
  }
  LinearMap rest(*from, *to, std::move(bases));
  if (product(f, rest) != p) return std::nullopt;
  return rest;
}

std::optional<LinearMap> quotient(const LinearMap& f, std::string_view dim) {
  const auto in = f.from().find(dim);
  const auto out = f.to().find(dim);
  if (!in || !out || f.from().bits_of(*in) != f.to().bits_of(*out)) return std::nullopt;
  const uint64_t out_mask = mask(f.to().bits_of(*out)) << f.to().first_bit(*out);
  for (int b = 0; b < f.from().bits(); ++b) {
    const int k = b - f.from().first_bit(*in);
    const bool inside = k >= 0 && k < f.from().bits_of(*in);
    const uint64_t base = f.bases()[static_cast<size_t>(b)];
    if (inside ? base != uint64_t{1} << (f.to().first_bit(*out) + k) : (base & out_mask) != 0) {
      return std::nullopt;
    }
  }
  std::vector<std::string> inputs, outputs;
  for (const Dim& d : f.from().dims()) {
    if (d.name != dim) inputs.push_back(d.name);
  }
  for (const Dim& d : f.to().dims()) {
    if (d.name != dim) outputs.push_back(d.name);
  }
  return project_outputs(restrict_inputs(f, inputs), outputs);
}

std::vector<uint64_t> kernel(const LinearMap& f) { return Elimination(f.bases()).kernel(); }

std::vector<uint64_t> image(const LinearMap& f) {
  Elimination span;
  std::vector<uint64_t> independent;
  for (const uint64_t base : f.bases()) {
    if (span.add(base)) independent.push_back(base);
  }
  return independent;
}

LinearMap restrict_inputs(const LinearMap& f, const std::vector<std::string>& dims) {
  std::vector<uint64_t> bases;
  for (const int position : bit_positions(f.from(), dims)) {
    bases.push_back(f.bases()[static_cast<size_t>(position)]);
  }
  return LinearMap(select(f.from(), dims), f.to(), std::move(bases));
}

LinearMap project_outputs(const LinearMap& f, const std::vector<std::string>& dims) {
  const std::vector<int> positions = bit_positions(f.to(), dims);
  std::vector<uint64_t> bases;
  for (const uint64_t base : f.bases()) bases.push_back(gather(base, positions));
  return LinearMap(f.from(), select(f.to(), dims), std::move(bases));
}

LinearMap reshape_inputs(const LinearMap& f, const Space& from) {
  return LinearMap(from, f.to(), f.bases());
}

LinearMap reshape_outputs(const LinearMap& f, const Space& to) {
  return LinearMap(f.from(), to, f.bases());
}

LinearMap reorder_outputs(const LinearMap& f, const std::vector<std::string>& dims) {
  WL_CHECK(dims.size() == f.to().dims().size());
  return project_outputs(f, dims);
}

}  // namespace warpledger
