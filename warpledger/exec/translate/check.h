// Whether compiled code sends the lanes of a warp where machine code does.
//
// Of lanes that have parted, the interpreter of machine code runs those at the lowest address;
// lanes that come to the same address go on together, and BSYNC holds lanes until all that its BSSY
// saw are there. Compiled code runs one side of a branch after the other and joins them at the
// branch's post-dominator. Both are the same where a branch that may part lanes
//
//   1. has sides that share no instruction before they meet,
//   2. whose lower side lies below the other one, and both lie below where they meet,
//
// and where a BSYNC is reached by all lanes that its BSSY saw: it post-dominates the BSSY, in the
// same loop. Registers of the warp (UR4) must then be held once for the warp.
//
// Where that cannot be shown, the kernel is translated again for lanes that go on by address
// (exec/jit/analysis/by_address.h), and of this only the last remains to be asked for.
#pragma once

#include <vector>

#include "warpledger/exec/jit/analysis/analysis.h"
#include "warpledger/exec/machine/loader.h"

namespace warpledger::exec::translate {

/// Why machine code must be interpreted, with Fallback::kInterpreter.
[[nodiscard]] Diagnostic refusal(const std::string& why);

/// Fails with Fallback::kInterpreter where that cannot be shown. `uniform`: slots that stand for
/// registers of the warp.
[[nodiscard]] Status check_flow(const jit::Analysis& analysis, const machine::Loaded& loaded,
                                const std::vector<bool>& uniform);

}  // namespace warpledger::exec::translate
