// The texture and surface rows of the L1/TEX table, and how busy they keep the texture unit.
//
// Instructions are exact. One request an instruction, and its distinct sectors, are modeled: ncu's
// guide says that more than one request may be generated for texture traffic, and no published
// report shows how many. What lies in arrays is assumed (exec/decode/texel_layout.h).
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using trace::Effect;
using trace::Space;

constexpr int kSector = kSectorBytes, kPercent = 100;

/// Four texture units an SM, each a filtered texel a clock: a warp takes eight clocks (NVIDIA's
/// whitepapers of Volta to Hopper and Ada). Wider formats and three-dimensional filters take longer
/// on hardware; that is not modeled.
constexpr int kCyclesPerWarp = 8;

struct TableRow {
  const char* instructions;  // smsp__inst_executed_op_...
  const char* where;         // l1tex__t_requests_...
  Space in;
  Effect does;
};
constexpr TableRow kRows[] = {
    {"texture", "pipe_tex_mem_texture", Space::kTexture, Effect::kRead},
    {"surface_ld", "pipe_tex_mem_surface_op_ld", Space::kSurface, Effect::kRead},
    {"surface_st", "pipe_tex_mem_surface_op_st", Space::kSurface, Effect::kWrite},
    {"surface_red", "pipe_tex_mem_surface_op_red", Space::kSurface, Effect::kUpdate},
    // The name that newer versions of ncu give to the first.
    {nullptr, "pipe_tex_mem_texture_op_ld", Space::kTexture, Effect::kRead},
};

/// With a lane on, as in ncu's other rows. Lanes with several handles make more requests than
/// instructions, those that are all off fewer.
Term instructions_of(const Selection& which) {
  return sum_over(
      which, "instructions",
      [](const trace::Site&, const memory::SiteCounters& c) {
        return std::min(c.request.instructions, c.request.requests);
      },
      Fidelity::kExact, Rests::kOnCode);
}

void add_row(Catalog& catalog, const TableRow& row) {
  const std::string where = row.where;
  const Selection which = texel_accesses(row.in, row.does);
  const Term sectors = sectors_of(which), hits = l1_hits_of(which);
  const auto add = [&](const std::string& base, const char* unit, const Term& sum) {
    catalog.counters.push_back({.base = base, .unit = unit, .sum = sum});
    return Term::named(base + ".sum", sum);
  };
  if (row.instructions != nullptr)
    add(fmt::format("smsp__inst_executed_op_{}", row.instructions), "inst", instructions_of(which));
  add("l1tex__t_requests_" + where, "", requests_of(which));
  const Term looked_up = add("l1tex__t_sectors_" + where, "sector", sectors);
  const Term found = add("l1tex__t_sectors_" + where + "_lookup_hit", "sector", hits);
  add("l1tex__t_sectors_" + where + "_lookup_miss", "sector", sectors - hits);
  add("l1tex__t_bytes_" + where, "byte", kSector * sectors);
  catalog.singles.push_back({fmt::format("l1tex__t_sector_{}_hit_rate.pct", where), "%",
                             Term::ratio(kPercent * found, looked_up)});
}

}  // namespace

void add_texture_metrics(Catalog& catalog) {
  for (const TableRow& row : kRows) add_row(catalog, row);
  const Selection all = {"texture and surface accesses", trace::passes_texture_unit};
  // Ours, not ncu's.
  catalog.counters.push_back({.base = "sm__texture_unit_cycles",
                              .unit = "cycle",
                              .sum = kCyclesPerWarp * requests_of(all),
                              .peak = [](const Gpu&) { return 1.0; }});
}

}  // namespace warpledger::profile
