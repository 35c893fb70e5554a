// Shared memory of a cluster's blocks. An address holds the rank of its block in bits 24 to 31
// (ptxas adds SR_CgaCtaId << 24 to every base), so that a peer's memory has addresses too.
#pragma once

#include "warpledger/exec/machine/state.h"

namespace warpledger::exec::machine {

inline constexpr int kRankShift = 24;
inline constexpr uint32_t kOffsetMask = (1U << kRankShift) - 1;

/// Where an address of shared memory leads: no owner where the cluster has no such block, or where
/// it has ended.
struct SharedPlace {
  Block* owner = nullptr;
  uint32_t offset = 0;
};
[[nodiscard]] SharedPlace find_shared(const Context& context, uint32_t address);
[[nodiscard]] Block* find_peer(const Context& context, uint32_t rank);

/// The bytes from there on; null where the block's shared memory ends before, or where they are
/// the system's.
[[nodiscard]] std::byte* shared_bytes(const SharedPlace& place, uint64_t bytes);

}  // namespace warpledger::exec::machine
