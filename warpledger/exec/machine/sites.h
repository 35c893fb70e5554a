// What the trace shows of machine code: a site for each memory instruction, and who may be where.
#pragma once

#include "warpledger/exec/machine/program.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::machine {

/// Gives every memory instruction its sites. One with a generic address (LD, ST, ATOM) has three in
/// a row: global, shared, local; LDGSTS and the copy engine's two: global, shared; a wgmma one for
/// each operand in shared memory; every other one.
[[nodiscard]] trace::Sites plan_sites(Program& program);

/// Whether CTAs may communicate, by the rules of exec/decode/communication.h: their order may then
/// show.
[[nodiscard]] bool may_communicate(const Program& program);

}  // namespace warpledger::exec::machine
