#include <fmt/core.h>

#include <bit>

#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/elimination.h"

namespace warpledger::convert {
namespace {

uint64_t lane_part(const Space& space, uint64_t point) {
  return point >> space.first_bit(*space.find("lane"));
}

/// How far a source is from where it is needed: another lane costs more than another register.
int distance(uint64_t source, uint64_t target) { return std::popcount(source ^ target); }

}  // namespace

Result<LinearMap> gather_map(const LinearMap& from, const LinearMap& to) {
  WL_TRY(const LinearMap any, solve(from, to));
  const std::vector<uint64_t> free = kernel(from);
  if (free.size() > 8) {
    return Diagnostic{.message = "the source replicates its elements more than 256 times",
                      .code = "layout-mismatch"};
  }
  const Space& target = to.from();
  std::vector<uint64_t> bases;
  for (int b = 0; b < target.bits(); ++b) {
    const uint64_t base = any.bases()[static_cast<size_t>(b)];
    const uint64_t wanted = lane_part(target, uint64_t{1} << b);
    uint64_t best = base;
    for (uint64_t choice = 0; choice < uint64_t{1} << free.size(); ++choice) {
      uint64_t candidate = base;
      for (size_t k = 0; k < free.size(); ++k) candidate ^= choice >> k & 1 ? free[k] : 0;
      const Space& source = from.from();
      if (distance(lane_part(source, candidate), wanted) <
          distance(lane_part(source, best), wanted))
        best = candidate;
    }
    bases.push_back(best);
  }
  return LinearMap(target, from.from(), std::move(bases));
}

std::optional<LinearMap> column_permutation(const LinearMap& from, const LinearMap& to) {
  if (from.from() != to.from() || from.to() != to.to()) return std::nullopt;
  const Space cols({{"col", from.to().size_of("col")}});
  const auto row_of = [&](uint64_t base) { return from.to().unpack(base)[0]; };
  const auto col_of = [&](uint64_t base) {
    return static_cast<uint64_t>(from.to().unpack(base)[1]);
  };
  std::vector<std::optional<uint64_t>> images(static_cast<size_t>(cols.bits()));
  const auto send = [&](uint64_t source, uint64_t target) {
    if (source == 0 || target == 0) return source == target;
    if (!std::has_single_bit(source) || !std::has_single_bit(target)) return false;
    auto& image = images[static_cast<size_t>(std::countr_zero(source))];
    if (image && *image != target) return false;
    image = target;
    return true;
  };
  const auto lanes_from = from.bases_of("lane"), lanes_to = to.bases_of("lane");
  for (size_t b = 0; b < lanes_from.size(); ++b) {
    if (row_of(lanes_from[b]) != row_of(lanes_to[b]) ||
        !send(col_of(lanes_from[b]), col_of(lanes_to[b])))
      return std::nullopt;
  }
  // Register bits may be renamed: those of equal row part meet in order.
  std::vector<uint64_t> left = to.bases_of("register");
  for (const uint64_t base : from.bases_of("register")) {
    const auto match = std::find_if(left.begin(), left.end(), [&](uint64_t other) {
      return row_of(other) == row_of(base) && (col_of(other) == 0) == (col_of(base) == 0);
    });
    if (match == left.end() || !send(col_of(base), col_of(*match))) return std::nullopt;
    left.erase(match);
  }
  std::vector<uint64_t> bases;
  for (const auto& image : images) {
    if (!image) return std::nullopt;
    bases.push_back(*image);
  }
  LinearMap permutation(cols, cols, std::move(bases));
  if (!permutation.is_injective() || permutation == identity(cols)) return std::nullopt;
  return permutation;
}

}  // namespace warpledger::convert
