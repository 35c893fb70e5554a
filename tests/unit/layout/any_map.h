// Random maps for the laws.
#pragma once

#include <string>
#include <vector>

#include "tests/support/law.h"
#include "warpledger/layout/linear_map.h"

namespace warpledger::testing {

/// A space with the given names and together at most 1 + size/12 bits.
inline Space any_space(Rng& rng, const std::vector<std::string>& names) {
  std::vector<Dim> dims;
  for (const std::string& name : names) {
    dims.push_back({name, int64_t{1} << rng.between(0, 1 + rng.size() / 30)});
  }
  return Space(dims);
}

inline LinearMap any_map(Rng& rng, const Space& from, const Space& to) {
  std::vector<uint64_t> bases;
  for (int b = 0; b < from.bits(); ++b) {
    const bool replicated = rng.between(0, 7) == 0;
    bases.push_back(replicated ? 0 : rng.bits() % static_cast<uint64_t>(to.size()));
  }
  return LinearMap(from, to, bases);
}

inline LinearMap any_map(Rng& rng) {
  const Space from = any_space(rng, {"register", "lane", "warp"});
  return any_map(rng, from, any_space(rng, {"row", "col"}));
}

/// A bijection of `space`: row operations on the identity.
inline LinearMap any_bijection(Rng& rng, const Space& space) {
  std::vector<uint64_t> bases = identity(space).bases();
  for (int step = 0; bases.size() > 1 && step < 40; ++step) {
    const auto a = static_cast<size_t>(rng.between(0, static_cast<int64_t>(bases.size()) - 1));
    const auto b = static_cast<size_t>(rng.between(0, static_cast<int64_t>(bases.size()) - 1));
    if (a != b) bases[a] ^= bases[b];
  }
  return LinearMap(space, space, bases);
}

}  // namespace warpledger::testing
