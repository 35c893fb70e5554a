// What the trace shows of a function's instructions: their sites, and where use marks stand.
#pragma once

#include "warpledger/exec/decode/step.h"
#include "warpledger/ptx/forward.h"
#include "warpledger/trace/trace.h"

namespace warpledger::exec::reference {

/// Gives every memory instruction of `code` its sites and places the use marks of trace.h.
/// An instruction with a generic address has four sites in a row: global, shared, local, const;
/// cp.async two: global, shared; a texture or surface instruction two: linear memory, arrays; every
/// other one.
void plan_trace(const ptx::Cfg& cfg, Code& code, trace::Sites& sites);

/// Sets trace::Site::strong of the sites of `code`; `has_fences`: the program has fence or membar.
void mark_strong_sites(const Code& code, bool has_fences, trace::Sites& sites);

[[nodiscard]] trace::Space trace_space(ptx::Space space);

}  // namespace warpledger::exec::reference
