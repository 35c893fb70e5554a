// The L2 table: what each kind of client asked, what was found, and the slices' units.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::L2Counters;
using memory::SiteCounters;

constexpr int kSector = kSectorBytes, kPercent = 100;

template <class T>
double known(const Fact<T>& fact) {
  return fact ? static_cast<double>(fact->value) : 0;
}

double tag_sectors(const Gpu& gpu) { return known(gpu.l2.tag_sectors_per_clk_slice); }
double read_sectors(const Gpu& gpu) { return known(gpu.l2.read_sectors_per_clk_slice); }
double write_sectors(const Gpu& gpu) { return known(gpu.l2.write_sectors_per_clk_slice); }
double one(const Gpu&) { return 1; }

void add(Catalog& catalog, std::string base, const char* unit, const Term& sum,
         std::function<double(const Gpu&)> peak = nullptr) {
  catalog.counters.push_back({.base = std::move(base),
                              .unit = unit,
                              .domain = Domain::kLts,
                              .sum = sum,
                              .peak = std::move(peak)});
}

struct TableRow {
  const char* operation;
  L2Class does;
  double (*peak)(const Gpu&);
};
constexpr TableRow kRows[] = {{"read", L2Class::kReads, read_sectors},
                              {"write", L2Class::kWrites, write_sectors},
                              {"red", L2Class::kReductions, write_sectors},
                              {"atom_dot_alu", L2Class::kAtomics, write_sectors},
                              {"atom_dot_cas", L2Class::kSwaps, write_sectors}};

void add_row(Catalog& catalog, const TableRow& row) {
  const std::string tex = fmt::format("srcunit_tex_op_{}", row.operation);
  const Selection which = l2_accesses(row.does);
  const Term sectors = l2_sectors_of(which), hits = l2_hits_of(which);
  const Term misses = sectors - hits + l2_promoted_of(which);
  add(catalog, "lts__t_requests_" + tex, "request", l2_requests_of(which), one);
  add(catalog, "lts__t_sectors_" + tex, "sector", sectors, row.peak);
  add(catalog, fmt::format("lts__t_sectors_op_{}", row.operation), "sector", sectors, row.peak);
  add(catalog, "lts__t_bytes_" + tex, "byte", kSector * sectors);
  add(catalog, fmt::format("lts__t_sectors_{}_lookup_hit", tex), "sector", hits);
  add(catalog, fmt::format("lts__t_sectors_{}_lookup_miss", tex), "sector", misses);
  add(catalog,
      fmt::format("lts__t_sectors_srcunit_tex_aperture_device_op_{}_lookup_miss", row.operation),
      "sector", misses);
  catalog.singles.push_back(
      {fmt::format("lts__t_sector_op_{}_hit_rate.pct", row.operation), "%",
       Term::ratio(kPercent * sum_of(catalog, fmt::format("lts__t_sectors_{}_lookup_hit", tex)),
                   sum_of(catalog, "lts__t_sectors_" + tex))});
}

const L2Counters& l2(const Evidence& e) { return e.counters.l2; }

uint64_t sectors_at(const trace::Site&, const SiteCounters& c) { return c.l2_sectors; }
uint64_t hits_at(const trace::Site&, const SiteCounters& c) { return c.l2_hit_sectors; }
uint64_t promoted_at(const trace::Site&, const SiteCounters& c) { return c.l2_promoted_sectors; }

constexpr const char* kBetweenHalves = "lookups between the halves of the L2";

Term tex_sectors() {
  return counter(
      "L2 sectors of the SMs", [](const memory::Counters& c) { return c.l2.sm_sectors(); },
      sectors_at);
}
Term tex_hits() {
  return counter(
      "sectors of the SMs found in the L2",
      [](const memory::Counters& c) { return c.l2.read_hits + c.l2.write_hits + c.l2.atomic_hits; },
      hits_at, "found in the far half, which ncu counts once more");
}
Term promoted() {
  return counter(
      "sectors fetched along with misses",
      [](const memory::Counters& c) { return c.l2.promoted_sectors; }, promoted_at);
}
Term lookups() {
  return counter(
      "sectors looked up in the L2", [](const memory::Counters& c) { return c.l2.lookups(); },
      sectors_at, kBetweenHalves);
}
Term all_hits() {
  return counter(
      "sectors found in the L2", [](const memory::Counters& c) { return c.l2.hits(); }, hits_at,
      kBetweenHalves);
}

void add_totals(Catalog& catalog) {
  const Term tex_misses = Term::excess(tex_sectors(), tex_hits()) + promoted();
  add(catalog, "lts__t_sectors_srcunit_tex", "sector", tex_sectors(), tag_sectors);
  add(catalog, "lts__t_requests_srcunit_tex", "request", l2_requests_of(l2_accesses()));
  add(catalog, "lts__t_sectors_srcunit_tex_lookup_hit", "sector", tex_hits());
  add(catalog, "lts__t_sectors_srcunit_tex_lookup_miss", "sector", tex_misses);
  add(catalog, "lts__t_sectors_srcunit_tex_aperture_device_lookup_miss", "sector", tex_misses);
  add(catalog, "lts__t_sectors_data_ecc", "sector",
      counter(
          "sectors fetched to complete partial writes",
          [](const memory::Counters& c) { return c.l2.ecc_sectors; }, nullptr,
          "not kept by instruction"),
      tag_sectors);
  add(catalog, "lts__t_sectors_srcunit_ltcfabric", "sector",
      counter(
          "sectors looked up between the halves of the L2",
          [](const memory::Counters& c) { return c.l2.fabric_sectors; }, nullptr, kBetweenHalves),
      one);
  add(catalog, "lts__t_sectors_srcunit_ltcfabric_lookup_hit", "sector",
      counter(
          "sectors found between the halves of the L2",
          [](const memory::Counters& c) { return c.l2.fabric_hits; }, nullptr, kBetweenHalves));
  add(catalog, "lts__t_sectors_lookup_hit", "sector", all_hits());
  add(catalog, "lts__t_sectors_lookup_miss", "sector",
      Term::excess(lookups(), all_hits()) + promoted());
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

/// Answers on their way to the SMs: one cycle moves as many sectors as the slice reads in one
/// clock.
uint64_t answer_cycles(const Evidence& e) {
  const double rate = read_sectors(e.profile.gpu);
  return rate == 0 ? 0 : static_cast<uint64_t>(static_cast<double>(l2(e).read_sectors) / rate);
}

/// Questions on their way from the SMs: reads are a header, writes and atomics bring their sectors.
Term question_cycles() {
  const Selection all = l2_accesses(), reads = l2_accesses(L2Class::kReads);
  return l2_requests_of(reads) + (l2_sectors_of(all) - l2_sectors_of(reads)) +
         l2_partial_requests_of(all);
}

/// Atomics at one address are done one after another, whichever slice it is in: over all slices,
/// so that the mean is that address's.
Value hottest_cycles(const Evidence& e) {
  const double slices = instances(Domain::kLts, e.profile.gpu);
  return {.raw = static_cast<double>(l2(e).hottest_atomics) * turn_of(e) * slices,
          .fidelity = Fidelity::kModeled};
}

template <Fact<int64_t> L2PolicyFacts::*kRate>
double policy(const Gpu& gpu) {
  return known(gpu.architecture.l2.*kRate);
}

Term atomic_sectors() {
  return counter(
      "L2 sectors from atomics and reductions",
      [](const memory::Counters& c) { return c.l2.atomic_sectors; },
      [](const trace::Site& site, const SiteCounters& c) {
        return effect_of(site) == trace::Effect::kUpdate ? c.l2_sectors : 0;
      });
}

/// The units of a slice, with their peaks (docs/memory-model.md).
void add_units(Catalog& catalog) {
  using Facts = L2PolicyFacts;
  const auto tag_rate = policy<&Facts::tag_requests_per_clk_slice>;
  const Term requests = l2_requests_of(l2_accesses());
  const auto whole = [](uint64_t (*sum)(const Evidence&)) {
    return [sum](const Evidence& e) { return modeled(sum(e)); };
  };
  add(catalog, "lts__t_sectors", "sector", lookups(), tag_sectors);
  add(catalog, "lts__t_tag_requests", "request", requests, tag_rate);
  add(catalog, "lts__t_requests", "request", requests, tag_rate);
  const Term filled = sum_of(catalog, "dram__sectors_read");
  add(catalog, "lts__d_sectors", "sector",
      tex_sectors() + filled + sum_of(catalog, "dram__sectors_write"),
      policy<&Facts::data_sectors_per_clk_slice>);
  add(catalog, "lts__d_sectors_fill_device", "sector", filled,
      policy<&Facts::fill_sectors_per_clk_slice>);
  add(catalog, "lts__lts2xbar_cycles_active", "cycle",
      computed("L2 sectors the SMs read / sectors an L2 slice reads per clock, rounded down",
               whole(answer_cycles)),
      one);
  add(catalog, "lts__xbar2lts_cycles_active", "cycle", question_cycles(), one);
  add(catalog, "lts__d_atomic_input_cycles_active", "cycle", atomic_sectors(), one);
  add(catalog, "lts__ltcfabric2lts_cycles_active", "cycle",
      computed("sectors read from the far half of the L2, a header for each of their requests, "
               "sectors written and two headers for each write; 0 with one partition",
               whole(fabric_cycles)),
      one);
  // Ours, not ncu's.
  add(catalog, "lts__hottest_atomic_cycles", "cycle",
      computed("atomics at the sector that got most x cycles of one after another x L2 slices",
               hottest_cycles),
      one);
}

}  // namespace

void add_l2_metrics(Catalog& catalog) {
  for (const TableRow& row : kRows) add_row(catalog, row);
  add_totals(catalog);
  add_units(catalog);
  catalog.singles.push_back({"lts__t_sector_hit_rate.pct", "%",
                             Term::ratio(kPercent * sum_of(catalog, "lts__t_sectors_lookup_hit"),
                                         sum_of(catalog, "lts__t_sectors"))});
}

}  // namespace warpledger::profile
