// Registers in flight: those of wgmma are not to be touched until wgmma.wait_group.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// The registers of `work` are in flight, from now on; and again those of all works, after some of
/// them have been waited for.
void watch(const Context& context, const MatrixWork& work);
void watch_again(const Context& context);

/// False after a fault: the step reads a register that a wgmma in flight writes, or writes one that
/// it uses. A mov of such a register hands the promise on to its copy.
bool leaves_matrix_work_alone(const Context& context, const Step& step);

}  // namespace warpledger::exec::reference
