#include "warpledger/tile/extent.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::tile {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 26;  // of one tensor: this is for small sizes

}  // namespace

Result<int64_t> whole(const Expression& size, const Sizes& sizes) {
  WL_TRY(const Expression value, size.evaluate(sizes));
  const auto number = value.as_integer();
  if (number && *number >= 0) return *number;
  return Diagnostic{fmt::format("{} is {} at these sizes", size.to_text(), value.to_text()),
                    "choose sizes that divide each other as the program assumes", "not-whole"};
}

int64_t elements_of(const std::vector<int64_t>& shape) {
  int64_t elements = 1;
  // Neither factor is larger than one too many: the product cannot overflow.
  for (const int64_t n : shape) {
    elements = std::min(elements * std::min(n, kMostElements + 1), kMostElements + 1);
  }
  return elements;
}

Result<std::vector<int64_t>> shape_of(const Tensor& tensor, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const Expression& extent : tensor.shape) {
    WL_TRY(const int64_t n, whole(extent, sizes));
    shape.push_back(n);
  }
  if (elements_of(shape) <= kMostElements) return shape;
  return Diagnostic{fmt::format("{} is too large to interpret", tensor.name),
                    "choose smaller sizes", "too-large"};
}

}  // namespace warpledger::tile
