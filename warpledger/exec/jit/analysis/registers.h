// Facts about registers that need no classes: who reads and writes them, where they live, how their
// lanes change in loops.
#pragma once

#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/jit/analysis/flow.h"

namespace warpledger::exec::jit {

struct Analysis;

using reference::for_each_read;
using reference::for_each_written;

/// By block and slot: whether a value that is there at the block's start may be read later.
[[nodiscard]] std::vector<std::vector<bool>> find_live_slots(const reference::Code& code,
                                                             const Flow& flow);

/// Slots all of whose values come from f32 arithmetic (or are copies of such, or constants): any
/// NaN in them stands for the canonical one until someone looks at its bits.
[[nodiscard]] std::vector<bool> find_lazy_nans(const reference::Code& code,
                                               const std::vector<uint16_t>& bits);

/// By slot: whether the vector part of the register changes from one turn of the loop to the next.
[[nodiscard]] std::vector<bool> find_varying_lanes(const Analysis& analysis, uint32_t loop);

}  // namespace warpledger::exec::jit
