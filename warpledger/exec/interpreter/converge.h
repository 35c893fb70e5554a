// Divergence and reconvergence of a warp's fragments (see state.h).
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// The lanes of the current fragment go to different instructions, targets[lane]. One fragment per
/// target; the one with the lowest target runs first.
void diverge(Context& context, const PerLane<uint32_t>& targets, uint32_t reconverge);

/// `sides` take the place of the current fragment: all its lanes, which meet again at `reconverge`.
void part(Context& context, std::vector<Fragment> sides, uint32_t reconverge);

/// The current fragment goes on inside `activation`, at its first instruction, and meets again at
/// the caller's next instruction.
void enter(Context& context, Lanes lanes, uint32_t activation);

/// The lanes of the current fragment leave the function: to the caller's join, or, from the kernel,
/// for good. The fragment loses them, and is removed when none is left.
void leave(Context& context, Lanes lanes);
/// The lanes end, wherever they are.
void terminate(Context& context, Lanes lanes);

/// Fragments that stand at their join arrive there; complete joins become fragments again.
void settle(Warp& warp);

/// The lanes that wait at the innermost join part with those that it still expects. False when none
/// waits.
bool release_waiting(Warp& warp);

/// The fragment to run: the last that is ready, or, when it has had many turns, the first. kNone
/// when all wait.
[[nodiscard]] uint32_t choose_fragment(Warp& warp);

}  // namespace warpledger::exec::reference
