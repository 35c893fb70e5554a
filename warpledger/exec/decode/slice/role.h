// What an instruction is to the slice: what of it is always needed, and what it does to memory.
#pragma once

#include <optional>

#include "warpledger/exec/decode/step.h"

namespace warpledger::exec {

enum class Part : uint8_t {
  kAlways,    // control, barriers, calls, what nobody runs: kept with all that it reads
  kValue,     // registers from registers: vanishes when dropped
  kAccess,    // its address is needed in any case, the bytes perhaps not
  kTogether,  // lanes meet at it, whatever becomes of the value
};

struct Role {
  Part part = Part::kAlways;
  std::vector<uint8_t> needed = {};    // operands that are read even when it is dropped
  bool reads = false, writes = false;  // memory, at operand `address`
  uint8_t address = 0;
  std::optional<uint8_t> written_at = {};  // cp.async: where it writes; `address` is its source
  // Where it reads and writes when no address of the instruction tells (Home's bits); 0: one does.
  uint8_t read_spaces = 0, written_spaces = 0;
};

/// `param_bytes`: of the kernel's own parameters; `target`: the sm number.
[[nodiscard]] Role role_of(const reference::Step& step, uint64_t param_bytes, int target);

}  // namespace warpledger::exec
