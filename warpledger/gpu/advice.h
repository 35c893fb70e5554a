// What limits the occupancy of a launch, the smallest change of one quantity that raises it, and
// how many more shared-memory buffers fit beside what is there.
#pragma once

#include "warpledger/gpu/launch.h"
#include "warpledger/gpu/sweep.h"

namespace warpledger {

/// `to` is the value nearest to `from` that holds more warps.
struct Change {
  SweepAxis axis = SweepAxis::kRegisters;
  int64_t from = 0, to = 0;
  int64_t warps_before = 0, warps_after = 0;
};

struct Advice {
  int64_t warps_per_sm = 0, max_warps_per_sm = 0;
  std::vector<Resource> limited_by;
  std::vector<Change> changes;  // at most one an axis, the relatively smallest first
};

[[nodiscard]] Result<Advice> advise(const Gpu& gpu, const Launch& launch);

/// "2 registers less per thread: 48 -> 64 warps"
[[nodiscard]] std::string to_text(const Change& change);

/// One line: what limits, and the first change that helps.
[[nodiscard]] std::string to_text(const Advice& advice);

/// How many further buffers fit into a block while `blocks_per_sm` of them stay resident.
struct StageRoom {
  int64_t blocks_per_sm = 0;
  int64_t free_bytes_per_block = 0;
  int64_t buffers = 0;
};

struct Stages {
  StageRoom at_current_occupancy;
  StageRoom at_one_block;
};

[[nodiscard]] Result<Stages> max_stages(const Gpu& gpu, const Launch& launch, int64_t buffer_bytes);

}  // namespace warpledger
