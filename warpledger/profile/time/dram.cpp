#include "warpledger/profile/time/dram.h"

#include <algorithm>

namespace warpledger::profile::time {
namespace {

/// Chosen on all parts of the benchmark that have this memory.
struct Growth {
  double busy = 0, turning = 0;
};
constexpr Growth kHbm{0.9, 1}, kGddr{0.3, 0.3};

// Where the GPU's file has none: between the parts that were measured.
constexpr double kUsualRead = 0.93, kUsualLoss = 0.03;

}  // namespace

double turning(const memory::DramCounters& dram) {
  const auto reads = static_cast<double>(dram.read_sectors);
  const auto writes = static_cast<double>(dram.write_sectors);
  const double all = reads + writes;
  return all == 0 ? 0 : 4 * reads * writes / (all * all);
}

double dram_efficiency(const Evidence& e) {
  const DramFacts& facts = e.profile.gpu.dram;
  const double read = facts.read_efficiency ? facts.read_efficiency->value : kUsualRead;
  const double copy = facts.copy_efficiency ? facts.copy_efficiency->value : read - kUsualLoss;
  return read - turning(e.counters.dram) * (read - copy);
}

double growth_of_latency(const Evidence& e) {
  const Fact<std::string>& type = e.profile.gpu.dram.type;
  const Growth growth = type && type->value.starts_with("HBM") ? kHbm : kGddr;
  return growth.busy + growth.turning * turning(e.counters.dram);
}

double dram_cycles(const Evidence& e, std::span<const UnitLoad> loads) {
  double most = 0;
  for (const UnitLoad& load : loads) {
    if (!is_dram(load)) continue;
    // A stream's losses are those of its bus; rows open while it moves what others hold.
    most = std::max(most, opens_rows(load) ? load.cycles : load.cycles / dram_efficiency(e));
  }
  return most;
}

}  // namespace warpledger::profile::time
