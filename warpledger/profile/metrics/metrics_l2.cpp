// The L2 table: what each kind of client asked, what was found, and the slices' units.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::L2Counters;
using memory::SiteCounters;

template <class T>
double known(const Fact<T>& fact) {
  return fact ? static_cast<double>(fact->value) : 0;
}

double tag_sectors(const Gpu& gpu) { return known(gpu.l2.tag_sectors_per_clk_slice); }
double read_sectors(const Gpu& gpu) { return known(gpu.l2.read_sectors_per_clk_slice); }
double write_sectors(const Gpu& gpu) { return known(gpu.l2.write_sectors_per_clk_slice); }
double one(const Gpu&) { return 1; }

template <class Formula>
void add(Catalogue& catalogue, std::string base, const char* unit, Formula formula,
         std::function<double(const Gpu&)> peak = nullptr) {
  catalogue.counters.push_back(
      {.base = std::move(base),
       .unit = unit,
       .domain = Domain::kLts,
       .sum = [formula](const Evidence& e) { return modelled(formula(e)); },
       .peak = std::move(peak)});
}

struct TableRow {
  const char* operation;
  SiteCounters L2Work::*part;
  double (*peak)(const Gpu&);
};
constexpr TableRow kRows[] = {{"read", &L2Work::reads, read_sectors},
                              {"write", &L2Work::writes, write_sectors},
                              {"red", &L2Work::reductions, write_sectors},
                              {"atom_dot_alu", &L2Work::atomics, write_sectors},
                              {"atom_dot_cas", &L2Work::swaps, write_sectors}};

void add_row(Catalogue& catalogue, const TableRow& row) {
  const std::string tex = fmt::format("srcunit_tex_op_{}", row.operation);
  const auto part = [row](const Evidence& e) { return l2_work(e).*row.part; };
  const auto sectors = [part](const Evidence& e) { return part(e).l2_sectors; };
  const auto hits = [part](const Evidence& e) { return part(e).l2_hit_sectors; };
  const auto misses = [part](const Evidence& e) {
    return part(e).l2_sectors - part(e).l2_hit_sectors + part(e).l2_promoted_sectors;
  };
  add(
      catalogue, "lts__t_requests_" + tex, "request",
      [part](const Evidence& e) { return part(e).l2_requests; }, one);
  add(catalogue, "lts__t_sectors_" + tex, "sector", sectors, row.peak);
  add(catalogue, fmt::format("lts__t_sectors_op_{}", row.operation), "sector", sectors, row.peak);
  add(catalogue, "lts__t_bytes_" + tex, "byte",
      [sectors](const Evidence& e) { return kSectorBytes * sectors(e); });
  add(catalogue, fmt::format("lts__t_sectors_{}_lookup_hit", tex), "sector", hits);
  add(catalogue, fmt::format("lts__t_sectors_{}_lookup_miss", tex), "sector", misses);
  add(catalogue,
      fmt::format("lts__t_sectors_srcunit_tex_aperture_device_op_{}_lookup_miss", row.operation),
      "sector", misses);
  catalogue.singles.push_back({fmt::format("lts__t_sector_op_{}_hit_rate.pct", row.operation), "%",
                               [part](const Evidence& e) {
                                 const SiteCounters sum = part(e);
                                 return ratio(100.0 * static_cast<double>(sum.l2_hit_sectors),
                                              static_cast<double>(sum.l2_sectors),
                                              Fidelity::kModelled);
                               }});
}

const L2Counters& l2(const Evidence& e) { return e.counters.l2; }
uint64_t tex_hits(const Evidence& e) {
  return l2(e).read_hits + l2(e).write_hits + l2(e).atomic_hits;
}

void add_totals(Catalogue& catalogue) {
  const auto tex = [](const Evidence& e) { return l2(e).sm_sectors(); };
  const auto tex_misses = [](const Evidence& e) {
    const uint64_t asked = l2(e).sm_sectors() > tex_hits(e) ? l2(e).sm_sectors() - tex_hits(e) : 0;
    return asked + l2(e).promoted_sectors;
  };
  add(catalogue, "lts__t_sectors_srcunit_tex", "sector", tex, tag_sectors);
  add(catalogue, "lts__t_requests_srcunit_tex", "request",
      [](const Evidence& e) { return l2_work(e).total().l2_requests; });
  add(catalogue, "lts__t_sectors_srcunit_tex_lookup_hit", "sector", tex_hits);
  add(catalogue, "lts__t_sectors_srcunit_tex_lookup_miss", "sector", tex_misses);
  add(catalogue, "lts__t_sectors_srcunit_tex_aperture_device_lookup_miss", "sector", tex_misses);
  add(
      catalogue, "lts__t_sectors_data_ecc", "sector",
      [](const Evidence& e) { return l2(e).ecc_sectors; }, tag_sectors);
  add(
      catalogue, "lts__t_sectors_srcunit_ltcfabric", "sector",
      [](const Evidence& e) { return l2(e).fabric_sectors; }, one);
  add(catalogue, "lts__t_sectors_srcunit_ltcfabric_lookup_hit", "sector",
      [](const Evidence& e) { return l2(e).fabric_hits; });
  add(catalogue, "lts__t_sectors_lookup_hit", "sector",
      [](const Evidence& e) { return l2(e).hits(); });
  add(catalogue, "lts__t_sectors_lookup_miss", "sector", [](const Evidence& e) {
    const uint64_t asked = l2(e).lookups() > l2(e).hits() ? l2(e).lookups() - l2(e).hits() : 0;
    return asked + l2(e).promoted_sectors;
  });
  catalogue.singles.push_back({"lts__t_sector_hit_rate.pct", "%", [](const Evidence& e) {
                                 return ratio(100.0 * static_cast<double>(l2(e).hits()),
                                              static_cast<double>(l2(e).lookups()),
                                              Fidelity::kModelled);
                               }});
}

/// Between the halves of the L2 of GA100 and GH100: sectors that come from the other half, a header
/// for each request, two for writes (L2 throughput of A100 reports within 1 point, GH200 13).
uint64_t fabric_cycles(const Evidence& e) {
  if (l2(e).fabric_sectors == 0) return 0;
  const L2Work work = l2_work(e);
  const SiteCounters all = work.total();
  const auto reads = static_cast<double>(work.reads.l2_sectors);
  const double crossing = std::min(reads, static_cast<double>(l2(e).fabric_sectors));
  const double headers =
      reads == 0 ? 0 : crossing * static_cast<double>(work.reads.l2_requests) / reads;
  const uint64_t written = all.l2_sectors - work.reads.l2_sectors;
  const uint64_t writes = all.l2_requests - work.reads.l2_requests;
  return static_cast<uint64_t>(crossing + headers) + written + 2 * writes;
}

/// L2 cycles from one atomic of an address to the next: floating-point additions take three
/// (durations of RTX 3080 and GTX 1660 SUPER reports), others one.
double turn_of(const Evidence& e) {
  const auto& fact = e.profile.gpu.architecture.l2.same_address_reduction_cycles;
  const bool floats = std::any_of(
      e.profile.instructions.begin(), e.profile.instructions.end(), [](const Instruction& one) {
        const auto does = operation_of(one.site);
        return one.site.floating && one.site.space == trace::Space::kGlobal &&
               (does == Operation::kReduction || does == Operation::kAtomic);
      });
  return floats && fact ? fact->value : 1;
}

uint64_t lookups(const Evidence& e) { return l2(e).lookups(); }
uint64_t tag_lookups(const Evidence& e) { return l2_work(e).total().l2_requests; }
uint64_t filled_sectors(const Evidence& e) { return e.counters.dram.read_sectors; }
uint64_t atomic_sectors(const Evidence& e) { return l2(e).atomic_sectors; }
uint64_t data_sectors(const Evidence& e) {
  return l2(e).sm_sectors() + e.counters.dram.read_sectors + e.counters.dram.write_sectors;
}

/// Answers on their way to the SMs: one cycle moves as many sectors as the slice reads in one
/// clock.
uint64_t answer_cycles(const Evidence& e) {
  const double rate = read_sectors(e.profile.gpu);
  return rate == 0 ? 0 : static_cast<uint64_t>(static_cast<double>(l2(e).read_sectors) / rate);
}

/// Questions on their way from the SMs: reads are a header, writes and atomics bring their sectors.
uint64_t question_cycles(const Evidence& e) {
  const L2Work work = l2_work(e);
  const SiteCounters all = work.total();
  return work.reads.l2_requests + (all.l2_sectors - work.reads.l2_sectors) +
         all.l2_partial_requests;
}

/// Atomics at one address are done one after another, whichever slice it is in: over all slices,
/// so that the mean is that address's.
Value hottest_cycles(const Evidence& e) {
  const double slices = instances(Domain::kLts, e.profile.gpu);
  return {.raw = static_cast<double>(l2(e).hottest_atomics) * turn_of(e) * slices,
          .fidelity = Fidelity::kModelled};
}

template <Fact<int64_t> L2PolicyFacts::*kRate>
double policy(const Gpu& gpu) {
  return known(gpu.architecture.l2.*kRate);
}

/// The units of a slice, with their peaks (docs/memory-model.md).
struct Unit {
  const char* base;
  const char* unit;
  uint64_t (*sum)(const Evidence&);
  double (*peak)(const Gpu&);
};
constexpr Unit kUnits[] = {
    {"lts__t_sectors", "sector", lookups, tag_sectors},
    {"lts__t_tag_requests", "request", tag_lookups,
     policy<&L2PolicyFacts::tag_requests_per_clk_slice>},
    {"lts__t_requests", "request", tag_lookups, policy<&L2PolicyFacts::tag_requests_per_clk_slice>},
    {"lts__d_sectors", "sector", data_sectors, policy<&L2PolicyFacts::data_sectors_per_clk_slice>},
    {"lts__d_sectors_fill_device", "sector", filled_sectors,
     policy<&L2PolicyFacts::fill_sectors_per_clk_slice>},
    {"lts__lts2xbar_cycles_active", "cycle", answer_cycles, one},
    {"lts__xbar2lts_cycles_active", "cycle", question_cycles, one},
    {"lts__d_atomic_input_cycles_active", "cycle", atomic_sectors, one},
    {"lts__ltcfabric2lts_cycles_active", "cycle", fabric_cycles, one}};

void add_units(Catalogue& catalogue) {
  for (const Unit& row : kUnits) add(catalogue, row.base, row.unit, row.sum, row.peak);
  // Ours, not ncu's.
  catalogue.counters.push_back({.base = "lts__hottest_atomic_cycles",
                                .unit = "cycle",
                                .domain = Domain::kLts,
                                .sum = hottest_cycles,
                                .peak = one});
}

}  // namespace

void add_l2_metrics(Catalogue& catalogue) {
  for (const TableRow& row : kRows) add_row(catalogue, row);
  add_totals(catalogue);
  add_units(catalogue);
}

}  // namespace warpledger::profile
