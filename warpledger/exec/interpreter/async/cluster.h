// CTAs of a cluster see each other's shared memory. In a launch with clusters an address of shared
// memory holds the rank of its CTA in bits 24 to 31, a variable's address that of the CTA itself:
// as the hardware's addresses do (ptxas adds %cluster_ctarank << 24 to every base), so that
// arithmetic on them, such as clearing bit 24 to reach the even CTA of a pair, means the same here.
// Without clusters there are no such bits.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

inline constexpr int kRankShift = 24;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kRankShift) - 1;

[[nodiscard]] inline bool is_shared(ptx::Space space) {
  return space == ptx::Space::kShared || space == ptx::Space::kSharedCluster;
}

/// What is added to an offset to make an address of this CTA's shared memory.
[[nodiscard]] uint64_t rank_bits(const Engine& engine, const Cta& cta);

[[nodiscard]] inline uint64_t offset_in_cta(uint64_t address) { return address & kOffsetMask; }

/// As the trace shows it: an offset in the owner's window.
[[nodiscard]] inline uint64_t offset_in_window(const SpaceAddress& at) {
  return at.space == ptx::Space::kSharedCluster ? offset_in_cta(at.offset) : at.offset;
}

/// The CTA of that rank in the cluster of `cta`; null when it has ended, or there is none.
[[nodiscard]] Cta* peer_of(Engine& engine, Cta& cta, uint32_t rank);
/// The CTA in whose shared memory an address lies that placed() gave.
[[nodiscard]] Cta* owner_of(Engine& engine, Cta& cta, uint64_t address);

/// Lets go whoever waits at the cluster's barrier when all have arrived; called when lanes arrive
/// or end.
void release_cluster(Engine& engine, Cta& cta);

/// Whether some warp of a CTA can go on.
[[nodiscard]] bool can_move(const Cta& cta);

}  // namespace warpledger::exec::reference
