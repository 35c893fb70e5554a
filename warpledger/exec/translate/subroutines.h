// Subroutines of machine code: CALL.REL.NOINC goes to one and keeps nothing, the caller has put
// where it comes back to into a register, and RET.REL goes there. ptxas takes CALL for jumps as
// well, to code that has no RET.
#pragma once

#include "warpledger/exec/translate/writer.h"

namespace warpledger::exec::translate {

/// Which calls come back, and where each RET and BRX may go: behind the calls that lead to it, or
/// where ptxas says. For what the kernel's entry reaches.
[[nodiscard]] ControlFlow find_control_flow(const machine::Loaded& loaded);

}  // namespace warpledger::exec::translate
