// When no warp of a cluster can go on.
#pragma once

#include "warpledger/exec/reference/context.h"

namespace warpledger::exec::reference {

/// Gives up every wait for an mbarrier in the cluster of `cta`: each answers false. False when
/// there is none.
bool time_out(Engine& engine, Cta& cta);

/// What has happened in the cluster that may have let somebody go on.
[[nodiscard]] uint64_t events_of(Engine& engine, Cta& cta);

/// A fault that says who waits for whom: the likeliest cause first, the others in the hint.
void report_deadlock(Engine& engine, Cta& cta);

}  // namespace warpledger::exec::reference
