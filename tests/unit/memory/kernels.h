// The kernels of published reports, rebuilt as address streams from their descriptions
// (docs/memory-model.md names the reports). Values come from tests/inputs/memory/published.csv.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/memory/synthetic.h"

namespace warpledger::memory {

using Kernel = std::unique_ptr<Synthetic>;

/// A grid and blocks of one dimension.
[[nodiscard]] inline Kernel line_of(uint32_t ctas, uint32_t threads) {
  return std::make_unique<Synthetic>(std::array<uint32_t, 3>{ctas, 1, 1},
                                     std::array<uint32_t, 3>{threads, 1, 1});
}

struct Case {
  std::string name;  // as in published.csv
  std::string gpu;
  Kernel (*make)();
  bool nightly = false;
};

[[nodiscard]] std::vector<Case> matmul_cases();
[[nodiscard]] std::vector<Case> elementwise_cases();
[[nodiscard]] std::vector<Case> transpose_cases();
[[nodiscard]] std::vector<Case> reduction_cases();
[[nodiscard]] std::vector<Case> stencil_cases();
[[nodiscard]] std::vector<Case> tile_cases();

}  // namespace warpledger::memory
