// The data stage: 32 banks of 4 bytes. An access is served in phases; a phase takes as many
// wavefronts as its busiest bank has distinct words (the same word is broadcast).
//
// Phases: 8 to 32 bits: the warp. 64 bits: its halves. 128 bits: its quarters. Shared memory merges
// them where lanes repeat: both halves of a 64-bit access into one phase, both quarters of each
// half of a 128-bit access likewise, if every active lane i finds lane i^1 off or at the same
// address, or every one finds lane i^2 so. The L1 data array (global accesses) does not merge:
// measured on A100, A40 and H200, zero error over 292 points (RRZE gpu-strides).
// ldmatrix and stmatrix: one phase per 8 row addresses of 16 bytes. Operands of wgmma and tcgen05
// the same: a core matrix, 8 rows of 16 bytes, at a time (PTX ISA 9.1, 9.7.15.5.1: canonical
// layouts).
#pragma once

#include "warpledger/memory/memory.h"

namespace warpledger::memory {

struct Wavefronts {
  uint32_t total = 0;
  uint32_t ideal = 0;  // the number of phases: what no conflicts would leave
  uint32_t words = 0;  // distinct words over the whole access
  friend bool operator==(const Wavefronts&, const Wavefronts&) = default;
};

[[nodiscard]] Wavefronts global_wavefronts(const Lanes& lanes);
[[nodiscard]] Wavefronts shared_wavefronts(const Lanes& lanes);
[[nodiscard]] Wavefronts matrix_wavefronts(const Lanes& lanes);

/// cp.async writes to shared memory what it read line by line: one wavefront for each line of 128 B
/// that it touches, or what the banks need if that is more. Rows of 16 to 256 B, 16 and 32 lanes:
/// equal in 13 published reports of L4, H100 SXM and RTX PRO 6000 (docs/validation.md).
[[nodiscard]] constexpr uint64_t arrival_wavefronts(uint64_t banks, uint64_t lines) {
  return banks > lines ? banks : lines;
}

/// Shared atomics: lanes at one address take turns, so each bank passes as often as it has lanes.
/// Assumed: no report isolates it.
[[nodiscard]] Wavefronts shared_atomic_wavefronts(const Lanes& lanes);

}  // namespace warpledger::memory
