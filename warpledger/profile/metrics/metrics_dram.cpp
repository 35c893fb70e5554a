// Device memory.
#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::DramCounters;

template <class Formula>
void add(Catalogue& catalogue, const char* base, const char* unit, Formula formula) {
  catalogue.counters.push_back(
      {.base = base, .unit = unit, .domain = Domain::kDram, .sum = [formula](const Evidence& e) {
         return modelled(formula(e.counters.dram));
       }});
}

uint64_t sectors(const DramCounters& c) { return c.read_sectors + c.write_sectors; }

/// Cycles in which the bus moves data, over all units: dram__cycles_active is derived from the
/// sector counters (PerfWorks), two transfers a clock.
Value busy_cycles(const Evidence& e) {
  const Gpu& gpu = e.profile.gpu;
  const double units = instances(Domain::kDram, gpu);
  if (!gpu.dram.bus_bits || units == 0) return not_modelled();
  const double transfers = gpu.architecture.dram_transfers_per_clk
                               ? static_cast<double>(gpu.architecture.dram_transfers_per_clk->value)
                               : 2;
  const double bytes = transfers * static_cast<double>(gpu.dram.bus_bits->value) / 8;
  const double moved = static_cast<double>(kSectorBytes * sectors(e.counters.dram));
  return {.raw = moved / bytes * units, .fidelity = Fidelity::kModelled};
}

}  // namespace

void add_dram_metrics(Catalogue& catalogue) {
  add(catalogue, "dram__sectors_read", "sector",
      [](const DramCounters& c) { return c.read_sectors; });
  add(catalogue, "dram__sectors_write", "sector",
      [](const DramCounters& c) { return c.write_sectors; });
  add(catalogue, "dram__sectors", "sector", sectors);
  add(catalogue, "dram__bytes_read", "byte",
      [](const DramCounters& c) { return kSectorBytes * c.read_sectors; });
  add(catalogue, "dram__bytes_write", "byte",
      [](const DramCounters& c) { return kSectorBytes * c.write_sectors; });
  add(catalogue, "dram__bytes", "byte",
      [](const DramCounters& c) { return kSectorBytes * sectors(c); });
  catalogue.counters.push_back({.base = "dram__cycles_active",
                                .unit = "cycle",
                                .domain = Domain::kDram,
                                .sum = busy_cycles,
                                .peak = [](const Gpu&) { return 1.0; }});
}

}  // namespace warpledger::profile
