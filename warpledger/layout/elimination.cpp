#include "warpledger/layout/elimination.h"

#include <bit>

#include "warpledger/base/check.h"

namespace warpledger {

Elimination::Elimination(const std::vector<uint64_t>& vectors) {
  for (const uint64_t vector : vectors) add(vector);
}

Elimination::Reduced Elimination::reduce(uint64_t vector) const {
  Reduced reduced{vector, 0};
  for (const Line& row : rows_) {
    if (reduced.rest & std::bit_floor(row.vector)) {
      reduced.rest ^= row.vector;
      reduced.sources ^= row.sources;
    }
  }
  return reduced;
}

bool Elimination::add(uint64_t vector) {
  WL_CHECK(inputs_ < 64);
  const uint64_t self = uint64_t{1} << inputs_++;
  const Reduced reduced = reduce(vector);
  if (reduced.rest == 0) {
    kernel_.push_back(reduced.sources ^ self);
    return false;
  }
  rows_.push_back({reduced.rest, reduced.sources ^ self});
  return true;
}

std::optional<uint64_t> Elimination::combination(uint64_t vector) const {
  const Reduced reduced = reduce(vector);
  if (reduced.rest != 0) return std::nullopt;
  return reduced.sources;
}

int rank_of(const std::vector<uint64_t>& vectors) { return Elimination(vectors).rank(); }

}  // namespace warpledger
