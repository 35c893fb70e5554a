// Where in the PTX a line lies: the statement that spans it.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "warpledger/ptx/module.h"

namespace warpledger::sass {

/// An instruction of a PTX module. kCompilerMade: ptxas made the code for no statement in
/// particular (stack pointer, descriptors, callee saves), its line is the function's brace.
struct Place {
  static constexpr uint32_t kCompilerMade = UINT32_MAX;
  uint32_t function = kCompilerMade;
  uint32_t instruction = kCompilerMade;
  [[nodiscard]] bool is_statement() const { return instruction != kCompilerMade; }
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// For each line of the module's text, counted from 1, the instruction that spans it.
[[nodiscard]] std::vector<Place> places_of_lines(const ptx::Module& module);

}  // namespace warpledger::sass
