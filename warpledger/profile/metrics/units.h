// How long each unit of the GPU is busy at the least: what it was asked divided by what it can do
// in a clock. The largest is the limit whatever the latencies are; a model of time adds those.
// Without machine code, pipes and instruction issue are those of the PTX.
#pragma once

#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {

struct UnitLoad {
  std::string unit;        // "load/store unit (LSU)"
  std::string counter;     // "l1tex__lsuin_requests"
  double cycles = 0;       // of the SM clock
  bool is_plural = false;  // the tensor cores work, the DRAM works
};

/// DRAM's bus, its interface to the L2, or its rows.
[[nodiscard]] bool is_dram(const UnitLoad& load);
/// The last of them: an access to another row costs time, however few bytes it is.
[[nodiscard]] bool opens_rows(const UnitLoad& load);

/// The busiest first; units that have nothing to do are left out. At most one is_dram() beside
/// the one that opens_rows().
[[nodiscard]] std::vector<UnitLoad> unit_loads(const Evidence& evidence);

/// The cycles of the busiest; 0 without any.
[[nodiscard]] double least_cycles(const Evidence& evidence);

}  // namespace warpledger::profile
