// What cp.async of a warp has read and not yet written.
//
// Each lane has its own groups: committed[lane] of them are closed. A copy belongs to the group
// that is open when it is made, and is written when fewer than that many are left to wait for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpledger/exec/semantics/warp.h"

namespace warpledger::exec::reference {

class PendingCopies {
 public:
  static constexpr size_t kMostBytes = 16;

  /// One cp.async of some lanes.
  struct Copy {
    Lanes lanes = 0;
    uint32_t bytes = 0;
    PerLane<uint32_t> group = {};
    PerLane<uint64_t> to = {};  // offset in shared memory
    std::byte data[kWarpSize][kMostBytes] = {};
  };

  /// A copy for the caller to fill in: `to` and `data` of these lanes.
  [[nodiscard]] Copy& add(Lanes lanes, uint32_t bytes);
  void commit(Lanes lanes);
  /// Writes the lanes' groups but the last `left` that were committed.
  void finish(std::span<std::byte> shared, Lanes lanes, uint64_t left);
  void finish_all(std::span<std::byte> shared, Lanes lanes);
  void clear();

 private:
  template <class IsDue>
  void finish_due(std::span<std::byte> shared, Lanes lanes, IsDue is_due);

  std::vector<Copy> copies_;  // oldest first
  PerLane<uint32_t> committed_ = {};
};

}  // namespace warpledger::exec::reference
