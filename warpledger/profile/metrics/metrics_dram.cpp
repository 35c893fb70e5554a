// Device memory.
#include "warpledger/base/units.h"
#include "warpledger/gpu/dram_rows.h"
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

constexpr int kSector = kSectorBytes;

void add(Catalog& catalog, const char* base, const char* unit, Term sum) {
  catalog.counters.push_back(
      {.base = base, .unit = unit, .domain = Domain::kDram, .sum = std::move(sum)});
}

Term read_sectors() {
  return counter(
      "sectors read from DRAM", [](const memory::Counters& c) { return c.dram.read_sectors; },
      [](const trace::Site&, const memory::SiteCounters& c) { return c.dram_read_sectors; });
}
Term written_sectors() {
  return counter(
      "sectors written to DRAM", [](const memory::Counters& c) { return c.dram.write_sectors; },
      nullptr, "dirty sectors leave the L2 when they are evicted, not when they are stored");
}

/// Bytes that the bus moves in a clock: two transfers unless the architecture says otherwise.
double bus_bytes(const Gpu& gpu) {
  if (!gpu.dram.bus_bits) return 0;
  const double transfers = gpu.architecture.dram_transfers_per_clk
                               ? static_cast<double>(gpu.architecture.dram_transfers_per_clk->value)
                               : 2;
  return transfers * static_cast<double>(gpu.dram.bus_bits->value) / 8;
}

/// Cycles in which the bus moves data, over all units: dram__cycles_active is derived from the
/// sector counters (PerfWorks).
Term busy_cycles(const Term& sectors) {
  return Term::quotient(kSector * sectors, fact("bytes per clock of the bus", bus_bytes)) *
         fact("DRAM units", [](const Gpu& gpu) { return instances(Domain::kDram, gpu); });
}

/// Cycles of DRAM's clock that activations take in the mean channel, once for each DRAM unit.
Value row_cycles(const Evidence& e) {
  const Gpu& gpu = e.profile.gpu;
  const std::optional<DramRows> rows = dram_rows(gpu);
  if (!rows) return not_modeled();
  const double busy_ns = static_cast<double>(e.counters.dram.opened_rows) * rows->activation_ns /
                         static_cast<double>(rows->channels);
  return {.raw = busy_ns * dram_megahertz(gpu) / 1e3 * instances(Domain::kDram, gpu),
          .fidelity = Fidelity::kModeled};
}

/// Sectors that one interface between L2 and DRAM moves in a clock of the L2: 64 B, on Volta 32 B.
/// fbpa__dram_sectors beside its percentage in reports of 13 GPUs from V100 to GH200 gives exactly
/// this; it is the limit where ncu holds the L2's clock low (RTX A2000: 91.75 %, its DRAM 73.47 %).
double interface_sectors(const Gpu& gpu) { return gpu.architecture.id == "sm_70" ? 1 : 2; }

}  // namespace

void add_dram_metrics(Catalog& catalog) {
  const Term read = read_sectors(), written = written_sectors();
  add(catalog, "dram__sectors_read", "sector", read);
  add(catalog, "dram__sectors_write", "sector", written);
  add(catalog, "dram__sectors", "sector", read + written);
  add(catalog, "dram__bytes_read", "byte", kSector * read);
  add(catalog, "dram__bytes_write", "byte", kSector * written);
  add(catalog, "dram__bytes", "byte", kSector * (read + written));
  add(catalog, "dram__cycles_active", "cycle", busy_cycles(read + written));
  catalog.counters.back().peak = [](const Gpu&) { return 1.0; };
  // Ours, not ncu's.
  add(catalog, "dram__row_cycles", "cycle",
      computed("row activations x time between two in a channel / channels x DRAM units",
               row_cycles));
  catalog.counters.back().peak = [](const Gpu&) { return 1.0; };
  add(catalog, "fbpa__dram_sectors", "sector", read + written);
  catalog.counters.back().domain = Domain::kFbpa;
  catalog.counters.back().peak = interface_sectors;
}

}  // namespace warpledger::profile
