// Registers by lifetime. ptxas uses a machine register for one value after the other; compiled code
// decides once for a register how it is held (for the warp, by lane), so each value gets its own.
#pragma once

#include <vector>

#include "warpledger/exec/decode/program.h"

namespace warpledger::ptx {
struct Cfg;
}

namespace warpledger::exec::translate {

/// Gives every web of definitions and uses a slot of its own. Post: [new slot] is the slot that it
/// was part of.
std::vector<uint32_t> split_registers(reference::Code& code, const ptx::Module& module);

}  // namespace warpledger::exec::translate
