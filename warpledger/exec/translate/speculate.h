// Address arithmetic under a guard. Where every use of a result stands under the same guard, the
// lanes that the guard keeps out may compute it as well: the result then does not have to be mixed
// with what was in the register, and stays a sum that compiled code knows.
#pragma once

#include "warpledger/exec/machine/program.h"

namespace warpledger::exec::translate {

/// Whether the instruction may compute its result for all lanes. `end`: of its block.
[[nodiscard]] bool may_ignore_guard(const machine::Program& program, uint32_t number, uint32_t end);

}  // namespace warpledger::exec::translate
