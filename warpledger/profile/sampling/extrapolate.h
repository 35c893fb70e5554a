// From what a part of a grid did to the memory system to what all of it does. Pure arithmetic on
// counters.
//
//   total = cold + tail + rate x (asked - asked(cold) - asked(tail))
//   rate  = sum of the windows' changes / sum of what the windows asked for
//
// site by site: what a site asks for in total is known (census.h), what becomes of it is not. The
// cold waves, in which caches fill, and the tail, in which SMs run empty, are counted once and
// never scaled. L2 and DRAM follow from the sites' sums; dirty data that stays in the L2 is not
// written, so that what is written and what stays are extrapolated together and parted at the end.
#pragma once

#include <vector>

#include "warpledger/memory/memory.h"
#include "warpledger/trace/trace.h"

namespace warpledger::profile {

/// Counters at both ends of a window that is measured.
struct Window {
  memory::Counters begin, end;
};

struct Sampled {
  memory::Counters cold;        // at the end of the cold waves
  std::vector<Window> windows;  // at least one
  memory::Counters tail_begin;  // when the last block had been started
  memory::Counters end;         // of the sampled run
};

/// What the L2 holds, in sectors.
struct L2Room {
  double sectors = 0;
  double dirty_limit = 0;  // of them
};

/// `asked`: exact fields of the whole grid, by site.
[[nodiscard]] memory::Counters extrapolate(const Sampled& sampled, const trace::Sites& sites,
                                           const std::vector<memory::SiteCounters>& asked,
                                           L2Room room);

}  // namespace warpledger::profile
