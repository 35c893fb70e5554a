// A placement as people read it: tables, a map of addresses over time, a picture, and the sentences
// that say what to know first.
#pragma once

#include "warpledger/base/drawing.h"
#include "warpledger/base/table.h"
#include "warpledger/plan/fit.h"

namespace warpledger::plan {

/// Where every buffer of shared memory stands, ordered by offset; the padding is a row of its own,
/// so that the bytes of the busiest moment add up to the total.
[[nodiscard]] Table shared_table(const Plan& plan, const Placement& placement);

/// The same for TMEM, in columns: type, shape, start, end, columns, KiB of the tensor and occupied.
[[nodiscard]] Table tensor_table(const Plan& plan, const Placement& placement);

/// Addresses downwards, time to the right: who is where, when.
[[nodiscard]] Table map_table(const Plan& plan, const Placement& placement, Space space);

/// The same as a picture: one rectangle for each lifetime, both memories.
[[nodiscard]] Drawing draw(const Plan& plan, const Placement& placement);

/// What the same plan needs with another number of stages.
struct StageNeeds {
  int64_t stages = 0;
  int64_t bytes = 0;
  int64_t columns = 0;
};

struct OtherStages {
  StageNeeds next;                         // one more
  std::optional<StageNeeds> deepest = {};  // the most that fit, when the plan itself does not
};

/// The sentences above the tables: fits or how much is missing, utilization, what the overlays
/// save, the proof, occupancy, bytes in flight, the next stage.
[[nodiscard]] std::vector<std::string> verdict(const Plan& plan, const Placement& placement,
                                               const Fit& fit, const std::string& gpu_name,
                                               const std::optional<OtherStages>& others);

/// "[64, 512]"; a ring of three in front: "3 x [64, 512]".
[[nodiscard]] std::string shape_text(const Buffer& buffer, const Slot& slot);

}  // namespace warpledger::plan
