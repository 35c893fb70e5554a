// Padding for an array in shared memory: the conflicts of a watched request are counted again at
// the places that its lanes would then have. The array's declaration is found in the source.
#pragma once

#include <optional>

#include "warpledger/profile/explain/edit.h"

namespace warpledger::profile {

/// A declaration of two dimensions or more: "__shared__ float tile[32][kTile];".
struct SharedArray {
  std::string declaration = {};
  size_t row_begin = 0, row_end = 0;  // where its last dimension stands
  uint64_t element_bytes = 0;
  uint64_t row_bytes = 0;  // 0: the dimension is not a number

  /// The same with so many more elements a row.
  [[nodiscard]] std::string padded(uint64_t elements) const;
};

/// The array that `line` (from 1) indexes and a line above declares, with elements of a known type.
[[nodiscard]] std::optional<SharedArray> shared_array_at(const std::vector<std::string>& lines,
                                                         uint32_t line);

struct SharedPadding {
  uint64_t row_bytes = 0;  // padding comes after so many
  uint64_t pad_bytes = 0;
  uint32_t before = 0, after = 0;  // wavefronts of the request
};

/// The least padding that leaves the request the fewest wavefronts, of rows of `row_bytes` or,
/// where this is 0, of the rows for which it takes the fewest bytes; nothing where none helps. Pre:
/// `row_bytes` is 0 or a multiple of 4.
[[nodiscard]] std::optional<SharedPadding> find_padding(const AccessExample& example,
                                                        const trace::Site& site,
                                                        uint64_t row_bytes = 0);

}  // namespace warpledger::profile
