#include "warpledger/layout/catalog/rules.h"

#include <fmt/format.h>

namespace warpledger::catalog {

Bits transpose(Bits bits) {
  for (Basis& basis : bits.registers) std::swap(basis.row, basis.col);
  for (Basis& basis : bits.lanes) std::swap(basis.row, basis.col);
  return bits;
}

Bits replicate_to(Bits bits, int elements) {
  while (1 << bits.registers.size() < elements) bits.registers.push_back(nothing());
  return bits;
}

LinearMap map_of(const Bits& bits, int rows, int cols) {
  const Space to = Space({{"row", rows}, {"col", cols}}).padded();
  const Space from({{"register", int64_t{1} << bits.registers.size()},
                    {"lane", int64_t{1} << bits.lanes.size()}});
  std::vector<uint64_t> bases;
  for (const Basis& basis : bits.registers) bases.push_back(to.pack({basis.row, basis.col}));
  for (const Basis& basis : bits.lanes) bases.push_back(to.pack({basis.row, basis.col}));
  return LinearMap(from, to, std::move(bases));
}

namespace {

void add_packed(Bits& bits, int e) {
  for (int k = 1; k < e; k *= 2) bits.registers.push_back(col(k));
}

}  // namespace

Bits multiplicand_a(int m, int k, int e) {
  Bits bits;
  add_packed(bits, e);
  if (m >= 16) bits.registers.push_back(row(8));
  for (int step = 4 * e; step < k; step *= 2) bits.registers.push_back(col(step));
  for (int step = 16; step < m; step *= 2) bits.registers.push_back(row(step));
  bits.lanes = {col(e), col(2 * e), row(1), row(2), row(4)};
  return bits;
}

Bits multiplicand_b(int n, int k, int e) {
  Bits bits = transpose(multiplicand_a(8, k, e));
  for (int step = 8; step < n; step *= 2) bits.registers.push_back(col(step));
  return bits;
}

Bits accumulator(int m, int n) {
  Bits bits{{col(1)}, {col(2), col(4), row(1), row(2), row(4)}};
  for (int step = 8; step < m; step *= 2) bits.registers.push_back(row(step));
  for (int step = 8; step < n; step *= 2) bits.registers.push_back(col(step));
  return bits;
}

Diagnostic unknown_fragment(const FragmentKey& key, std::vector<FragmentKey> known) {
  std::vector<std::string> near, names;
  for (const FragmentKey& candidate : known) {
    names.push_back(name_of(candidate));
    if (candidate.shape == key.shape) near.push_back(names.back());
  }
  const std::string name = name_of(key);
  std::string hint = near.empty() ? did_you_mean(name, names)
                                  : fmt::format("this shape has: {}", fmt::join(near, ", "));
  return Diagnostic{.message = fmt::format("there is no fragment '{}'", name),
                    .hint = std::move(hint),
                    .code = "unknown-fragment"};
}

Diagnostic needs_arch(const FragmentKey& key, int first_arch) {
  return Diagnostic{.message = fmt::format("'{}' needs sm_{} or later, not sm_{}", name_of(key),
                                           first_arch, key.arch),
                    .code = "fragment-needs-arch"};
}

}  // namespace warpledger::catalog
