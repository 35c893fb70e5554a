// When a warp lets the other warps of its block run, for both engines.
//
// Warps of a block advance side by side on hardware: each of them has read before one of them runs
// so far ahead that it overwrites what was read. Programs that lack the barrier between the two
// come out right there. So a warp gives way, once, before an instruction that
//   overwrites  writes memory which an instruction on the way to it, with no barrier of the block
//               between, may have read: the other warps come to their own reads first;
//   polls       reads a flag or a lock that another warp may have to change.
// It also gives way at the head of a loop when it has executed kTurnInstructions. The next warp in
// the order of their numbers runs then. Nothing else but a barrier takes a warp's turn away, so
// compiled and interpreted launches interleave their warps alike.
//
// Which reads a write may meet is the slice's alias rule (slice/base.h), for this launch's
// parameters: a kernel that reads one allocation and writes another gives way nowhere.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/program.h"

namespace warpledger::exec {

/// Warp instructions that a warp may execute before another one's turn.
inline constexpr int64_t kTurnInstructions = 1 << 12;

/// Sets Step::gives_way and Step::loop_block in all of the program. Dropped steps move no value, so
/// nobody waits for them, unless the program polls.
void mark_turns(reference::Program& program, const Image& image, const Launch& launch);

/// What mark_turns() depends on besides the code: which of the module's variables and of the
/// parameters' words point into one allocation, and which into none (0).
[[nodiscard]] std::vector<uint64_t> allocations_of(const Launch& launch, const Image& image);

}  // namespace warpledger::exec
