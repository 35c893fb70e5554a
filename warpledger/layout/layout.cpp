#include "warpledger/layout/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace warpledger {

Layout::Layout(Space from, Space to, std::vector<uint64_t> values)
    : from_(std::move(from)), to_(std::move(to)), values_(std::move(values)) {
  WL_CHECK(std::get<1>(values_).size() == static_cast<size_t>(from_.size()));
  for (const uint64_t value : std::get<1>(values_)) {
    WL_CHECK(value < static_cast<uint64_t>(to_.size()));
  }
}

Layout Layout::tabulate(
    const Space& from, const Space& to,
    const std::function<std::vector<int64_t>(const std::vector<int64_t>&)>& function) {
  std::vector<uint64_t> values(static_cast<size_t>(from.size()));
  for (size_t x = 0; x < values.size(); ++x) values[x] = to.pack(function(from.unpack(x)));
  return Layout(from, to, std::move(values));
}

uint64_t Layout::operator()(uint64_t x) const {
  if (const LinearMap* map = linear()) return (*map)(x);
  return std::get<1>(values_)[x];
}

std::vector<int64_t> Layout::at(const std::vector<int64_t>& coordinates) const {
  return to_.unpack((*this)(from_.pack(coordinates)));
}

std::vector<uint64_t> Layout::holders(uint64_t point) const {
  std::vector<uint64_t> found;
  for (uint64_t x = 0; x < static_cast<uint64_t>(from_.size()); ++x) {
    if ((*this)(x) == point) found.push_back(x);
  }
  return found;
}

bool Layout::is_injective() const {
  if (const LinearMap* map = linear()) return map->is_injective();
  std::vector<uint64_t> values = std::get<1>(values_);
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

namespace {

/// The bits of a point of `space` in the packing of `space.padded()`.
uint64_t pad(const Space& space, const Space& padded, uint64_t point) {
  return padded.pack(space.unpack(point));
}

NonLinearity split_lowest_bit(const Space& space, const Space& padded, uint64_t padded_point) {
  const uint64_t low = padded_point & (~padded_point + 1);
  return {space.pack(padded.unpack(low)), space.pack(padded.unpack(padded_point ^ low))};
}

}  // namespace

Fit fit(const Layout& layout) {
  const Space from = layout.from().padded();
  const Space to = layout.to().padded();
  const auto value = [&](uint64_t x) { return pad(layout.to(), to, layout(x)); };
  Fit result;
  result.offset = value(0);
  std::vector<uint64_t> bases;
  for (int b = 0; b < from.bits(); ++b) {
    const uint64_t x = layout.from().pack(from.unpack(uint64_t{1} << b));
    bases.push_back(value(x) ^ result.offset);
  }
  const LinearMap map(from, to, std::move(bases));
  for (uint64_t x = 0; x < static_cast<uint64_t>(layout.from().size()); ++x) {
    const uint64_t padded = pad(layout.from(), from, x);
    if (value(x) == (map(padded) ^ result.offset)) continue;
    result.witness = split_lowest_bit(layout.from(), from, padded);
    return result;
  }
  result.map = map;
  return result;
}

Result<LinearMap> require_linear(const Layout& layout) {
  if (const LinearMap* map = layout.linear()) return *map;
  const Fit found = fit(layout);
  if (found.map && found.offset == 0) return *found.map;
  if (found.map) {
    return Diagnostic{.message = fmt::format("the layout does not start at 0 but at {}",
                                             point_text(layout.to(), layout(0))),
                      .code = "layout-not-linear"};
  }
  return Diagnostic{
      .message = fmt::format(
          "the layout is not linear over F2: its values at {} and {} do not add up",
          point_text(layout.from(), found.witness->x), point_text(layout.from(), found.witness->y)),
      .code = "layout-not-linear"};
}

std::string point_text(const Space& space, uint64_t point) {
  const std::vector<int64_t> coordinates = space.unpack(point);
  std::string text;
  for (size_t d = 0; d < coordinates.size(); ++d) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", space.dims()[d].name, coordinates[d]);
  }
  return "(" + text + ")";
}

}  // namespace warpledger
