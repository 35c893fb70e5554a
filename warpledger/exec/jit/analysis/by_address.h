// Machine code whose lanes do not meet at post-dominators (exec/translate/): of lanes that have
// parted, those in the lowest block run first, lanes that come to the same block go on together,
// and a BSYNC holds lanes until all that their BSSY saw are there (runtime/lane_order.h).
//
// What compiled code must know beforehand is where lanes of a warp can be apart: there registers
// are kept lane by lane, and whoever enters a block asks whether others come first. Lanes are apart
// from a branch that may part them on, to every block that it leads to; a BSYNC ends that where its
// BSSY saw the whole warp, and nothing in between takes lanes out of the barrier or sets it again.
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

/// Convergence::barrier of a kMeet before a barrier of the block: all lanes of the warp that live
/// arrive, each of those that have parted with a mark of its own.
inline constexpr uint8_t kAllLanes = reference::kNamedLanes + 1;

/// Whether lanes meet there for a barrier of the block.
[[nodiscard]] bool meets_for_barrier(const reference::Step& step);

/// By block: whether lanes that live may be elsewhere while others are here. From Analysis::parts.
[[nodiscard]] std::vector<bool> find_blocks_apart(const Analysis& analysis);

/// Blocks that lanes may wait at while others run: those where they are apart, and what follows
/// these.
[[nodiscard]] std::vector<bool> find_waiting_blocks(const Analysis& analysis,
                                                    const std::vector<bool>& apart);

/// Calls and returns are no branches to whoever counts where lanes part.
[[nodiscard]] bool is_silent(const reference::Step& step);

/// The block's last step, where that is a BSYNC or a WARPSYNC; else null.
[[nodiscard]] const reference::Step* meeting_of(const Analysis& analysis, uint32_t block);

}  // namespace warpledger::exec::jit
