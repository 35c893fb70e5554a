// Lanes of a warp that wait for each other: at shfl, vote, match, redux, elect and bar.warp.sync,
// each lane for those that it names.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Executes such an instruction for the lanes whose named lanes are all here. The others wait:
/// lanes that name the same set as a fragment of their own, the rest goes on without them.
Outcome meet(Context& context, const Step& step);

/// Those of the warp who wait, and for whom all that live have come by now, are answered and go on.
/// Called when lanes come or end.
void release_meetings(Engine& engine, Cta& cta, Warp& warp);

}  // namespace warpledger::exec::reference
