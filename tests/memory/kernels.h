// The kernels of published reports, rebuilt as address streams from their descriptions
// (docs/memory-model.md names the reports). Values come from tests/data/memory/published.csv.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/memory/synthetic.h"

namespace warpledger::memory {

struct Case {
  std::string name;  // as in published.csv
  std::string gpu;
  std::unique_ptr<Synthetic> (*make)();
  bool nightly = false;
};

[[nodiscard]] std::vector<Case> matmul_cases();
[[nodiscard]] std::vector<Case> elementwise_cases();
[[nodiscard]] std::vector<Case> transpose_cases();
[[nodiscard]] std::vector<Case> reduction_cases();
[[nodiscard]] std::vector<Case> stencil_cases();

}  // namespace warpledger::memory
