// A cubin as a driver leaves it in memory: each section of code has an address, and the symbols in
// it and the tables of source lines say which. ptxas has them all at 0, so that addresses of
// instructions in different kernels would be the same.
#pragma once

#include <map>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::sass {

struct PlacedCubin {
  std::string bytes = {};
  std::map<std::string, uint64_t> functions = {};  // where each begins
};

/// Sections of code one after another from `address` on. Fails with "bad-cubin".
[[nodiscard]] Result<PlacedCubin> place_code(const std::string& cubin, uint64_t address);

}  // namespace warpledger::sass
