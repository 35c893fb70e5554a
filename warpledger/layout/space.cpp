#include "warpledger/layout/space.h"

#include <fmt/core.h>

#include <bit>

#include "warpledger/base/check.h"

namespace warpledger {
namespace {

int log2_of(int64_t size) { return std::countr_zero(static_cast<uint64_t>(size)); }

}  // namespace

Space::Space(std::vector<Dim> dims) : dims_(std::move(dims)) {
  for (size_t d = 0; d < dims_.size(); ++d) {
    WL_CHECK(dims_[d].size >= 1 && dims_[d].size < (int64_t{1} << 62) / size_);
    WL_CHECK(find(dims_[d].name) == d);
    size_ *= dims_[d].size;
  }
}

std::optional<size_t> Space::find(std::string_view name) const {
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d].name == name) return d;
  }
  return std::nullopt;
}

int64_t Space::size_of(std::string_view name) const {
  const auto d = find(name);
  return d ? dims_[*d].size : 1;
}

uint64_t Space::pack(const std::vector<int64_t>& coordinates) const {
  WL_CHECK(contains(coordinates));
  uint64_t point = 0;
  for (size_t d = dims_.size(); d-- > 0;) {
    point = point * static_cast<uint64_t>(dims_[d].size) + static_cast<uint64_t>(coordinates[d]);
  }
  return point;
}

std::vector<int64_t> Space::unpack(uint64_t point) const {
  std::vector<int64_t> coordinates(dims_.size());
  for (size_t d = 0; d < dims_.size(); ++d) {
    coordinates[d] = static_cast<int64_t>(point % static_cast<uint64_t>(dims_[d].size));
    point /= static_cast<uint64_t>(dims_[d].size);
  }
  return coordinates;
}

bool Space::contains(const std::vector<int64_t>& coordinates) const {
  if (coordinates.size() != dims_.size()) return false;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (coordinates[d] < 0 || coordinates[d] >= dims_[d].size) return false;
  }
  return true;
}

bool Space::is_bits() const {
  for (const Dim& dim : dims_) {
    if (!std::has_single_bit(static_cast<uint64_t>(dim.size))) return false;
  }
  return true;
}

int Space::bits() const {
  WL_CHECK(is_bits());
  return log2_of(size_);
}

int Space::first_bit(size_t d) const {
  int bit = 0;
  for (size_t before = 0; before < d; ++before) bit += bits_of(before);
  return bit;
}

int Space::bits_of(size_t d) const { return log2_of(dims_[d].size); }

Space Space::padded() const {
  std::vector<Dim> dims = dims_;
  for (Dim& dim : dims) {
    dim.size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(dim.size)));
  }
  return Space(std::move(dims));
}

std::string to_text(const Space& space) {
  std::string text;
  for (const Dim& dim : space.dims()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", dim.name, dim.size);
  }
  return "(" + text + ")";
}

}  // namespace warpledger
