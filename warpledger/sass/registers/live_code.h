// A kernel's registers in one answer: live registers, dependencies and waits of every instruction.
#pragma once

#include "warpledger/sass/registers/liveness.h"
#include "warpledger/sass/registers/producers.h"
#include "warpledger/sass/registers/scoreboards.h"

namespace warpledger::sass {

/// Empty lists where something is not known, and `unknown` says what. Waits need no operands.
struct LiveCode {
  std::vector<LiveRegisters> registers = {};
  std::vector<std::vector<Dependency>> producers = {};
  std::vector<std::vector<Awaited>> awaited = {};
  std::vector<bool> is_reached = {};  // from the kernel's beginning
  std::string unknown = {};
};
[[nodiscard]] LiveCode live_code(const KernelWitness& kernel);

/// The most general registers that hold a value at once; nothing where something is not known.
[[nodiscard]] std::optional<uint32_t> most_live(const KernelWitness& kernel);

}  // namespace warpledger::sass
