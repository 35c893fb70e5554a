// DRAM as a stream finds it: how much of its peak it reaches, and how much later it answers the
// busier it is.
//
//   efficiency  reads alone, or writes alone: `read_efficiency`. A bus that turns from reads to
//               writes and back loses time at every turn; with a share s of writes two accesses in
//               a row differ with probability 2 s (1 - s), so that
//                   read - 4 s (1 - s) (read - copy)          (s = 1/2: `copy_efficiency`)
//   latency     what lies beyond the L2 takes, at utilization u,
//                   1 + u (busy + turning 4 s (1 - s))
//               times what a pointer chase finds: requests queue at banks and channels, and reads
//               wait while writes are drained; much on HBM, little on GDDR
//
// Both laws and their constants come from RRZE's gpu-stream: bandwidth of writes, reads, copies and
// triads at 32 occupancies on V100, A40, A100 (40 and 80 GB), L40, H100 PCIe and H200, without any
// ncu report (docs/decisions/012-busy-dram-answers-late.md).
#pragma once

#include <span>

#include "warpledger/profile/metrics/units.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile::time {

/// 4 s (1 - s): 0 for reads or writes alone, 1 for as many of both.
[[nodiscard]] double turning(const memory::DramCounters& dram);

/// What a stream reaches of DRAM's peak.
[[nodiscard]] double dram_efficiency(const Evidence& evidence);

/// What is added to the latency beyond the L2, in units of it, per unit of DRAM's utilization.
[[nodiscard]] double growth_of_latency(const Evidence& evidence);

/// Cycles of the SM clock that DRAM needs: its bus or its interface to the L2 at what streams reach
/// of it, or its rows, whichever is slowest. `loads`: unit_loads(evidence).
[[nodiscard]] double dram_cycles(const Evidence& evidence, std::span<const UnitLoad> loads);

}  // namespace warpledger::profile::time
