// Register dependencies: whose result an instruction reads. A result reaches an instruction when
// some way leads there on which nothing unguarded overwrites it; a guarded write leaves those
// before it in sight.
#pragma once

#include "warpledger/sass/registers/flow.h"
#include "warpledger/sass/registers/operands.h"

namespace warpledger::sass {

/// `reader` reads what `writer` left in `which`.
struct Dependency {
  uint32_t writer = 0;
  Register which = {};
  friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

/// Of each instruction, in order of the writers.
[[nodiscard]] std::vector<std::vector<Dependency>> dependencies(
    const std::vector<RegisterUse>& uses, const CodeFlow& flow);

}  // namespace warpledger::sass
