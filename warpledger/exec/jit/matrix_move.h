// ldmatrix and stmatrix of compiled code: 8 rows of 16 bytes a matrix.
#pragma once

#include "warpledger/exec/jit/warp_context.h"
#include "warpledger/exec/reference/context.h"

namespace warpledger::exec::jit {

/// Between the rows at context.address and the registers in context.matrix (d of a load, a of a
/// store), all 32 lanes. 1 when a row is out of bounds: the fault is set.
int32_t move_matrix(WarpContext& warp, const reference::Context& context,
                    const reference::Step& step, bool records);

}  // namespace warpledger::exec::jit
