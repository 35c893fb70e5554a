// Which instructions a wait is for: those that took the scoreboard since it was last waited for.
#pragma once

#include "warpledger/sass/registers/flow.h"

namespace warpledger::sass {

/// `taker` took `scoreboard`, to be freed when its result is written or its operands are read.
struct Awaited {
  uint8_t scoreboard = 0;
  uint32_t taker = 0;
  friend auto operator<=>(const Awaited&, const Awaited&) = default;
};

/// Of each instruction, in order; empty where it waits for nothing or has no control bits.
[[nodiscard]] std::vector<std::vector<Awaited>> awaited(const std::vector<Instruction>& code,
                                                        const CodeFlow& flow);

}  // namespace warpledger::sass
