// Shared-memory bank conflicts, exactly. Shared memory has 32 banks of one 32-bit word; a warp's
// access is served in phases: 32 lanes of up to 32 bits, 2 x 16 lanes of 64 bits, 4 x 8 lanes of
// 128 bits; ldmatrix and stmatrix take one phase per 8 x 8 matrix, 8 row addresses of 16 bytes
// each. Within a phase a bank serves one word per wavefront, to any number of lanes.
//
// Theorem: let W be the F2 map from the lane and word bits of a phase to the word index, and B its
// low five bits. Then the phase takes 2^(rank W - rank B) wavefronts, because every bank in the
// image receives the same number of distinct words. Addresses that are not linear are counted one
// by one.
#pragma once

#include <cstdint>
#include <vector>

#include "warpledger/base/drawing.h"
#include "warpledger/base/result.h"
#include "warpledger/base/table.h"
#include "warpledger/layout/layout.h"

namespace warpledger {

inline constexpr int kBanks = 32;

/// One instruction: the byte address of each lane, and how many bytes it moves there.
struct SharedAccess {
  Layout addresses;  // (lane 32) -> (offset); aligned to `bytes`
  int bytes = 4;     // 1, 2, 4, 8 or 16
};

/// Lanes that are served together: 32, 16 for 8 bytes, 8 for 16.
[[nodiscard]] int lanes_per_phase(int bytes);

/// One bank of the worst phase: the lanes that want it, and their distinct words.
struct BankWitness {
  int phase = 0;
  int bank = 0;
  std::vector<int> lanes;
  std::vector<uint64_t> words;
};

struct BankReport {
  std::vector<int> wavefronts;  // per phase
  BankWitness worst;            // of the phase with most wavefronts
  bool by_rank = false;         // counted by the theorem; otherwise by enumeration

  [[nodiscard]] int total() const;
  /// What ncu counts as bank conflicts: wavefronts beyond one per phase.
  [[nodiscard]] int conflicts() const { return total() - static_cast<int>(wavefronts.size()); }
};

/// Fails when an address is not a multiple of `bytes`, or the layout has no 32 lanes.
[[nodiscard]] Result<BankReport> count_conflicts(const SharedAccess& access);

/// Wavefronts of one phase of a linear access by the theorem. Pre: bytes divides every base.
[[nodiscard]] int wavefronts_by_rank(const LinearMap& addresses, int bytes);
/// The same for each phase by counting distinct words per bank: no assumption.
[[nodiscard]] std::vector<int> wavefronts_by_enumeration(const SharedAccess& access);

/// The 32 banks of the worst phase: which lane each wavefront serves.
[[nodiscard]] std::string bank_text(const SharedAccess& access, const BankReport& report);
[[nodiscard]] Drawing bank_drawing(const SharedAccess& access, const BankReport& report);

}  // namespace warpledger
