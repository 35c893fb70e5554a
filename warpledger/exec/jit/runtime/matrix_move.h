// ldmatrix and stmatrix of compiled code: 8 rows of 16 bytes a matrix.
#pragma once

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {

/// Between the rows at context.address and the registers in context.matrix (d of a load, a of a
/// store), all 32 lanes; a dropped step moves nothing. False when a row is out of bounds: the fault
/// is set.
[[nodiscard]] bool move_matrix(WarpContext& warp, const reference::Context& context,
                               const reference::Step& step, bool records);

/// The same for rows that are known: 8 of each matrix.
void move_rows(WarpContext& warp, const reference::Step& step, std::byte* const* rows);

}  // namespace warpledger::exec::jit
