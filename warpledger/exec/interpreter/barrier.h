// The barriers of a CTA.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Lets go whoever waits at a barrier that is complete; called when lanes arrive or end.
void release_barriers(Engine& engine, Cta& cta);

/// "waits at barrier 1 for 64 threads; 32 have come", for a deadlock's diagnosis.
[[nodiscard]] std::string waiting_text(const Cta& cta, int barrier);

}  // namespace warpledger::exec::reference
