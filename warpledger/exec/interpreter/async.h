// Asynchronous copies of a thread.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Writes everything that cp.async of this thread has not written yet, oldest first.
void finish_copies(Context& context, int lane);

}  // namespace warpledger::exec::reference
