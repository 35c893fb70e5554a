// The L1/TEX table: global and local memory through the tag stage (textures and surfaces:
// metrics_texture.cpp), and what the L1 sends and gets.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Space;

constexpr uint64_t kWord = 4;
constexpr int kSector = kSectorBytes, kPercent = 100;

/// A row of the table: the space and operation in ncu's words.
struct TableRow {
  const char* space;
  const char* operation;
  Space in;
  Operation does;
};
constexpr TableRow kRows[] = {{"global", "ld", Space::kGlobal, Operation::kLoad},
                              {"global", "st", Space::kGlobal, Operation::kStore},
                              {"global", "red", Space::kGlobal, Operation::kReduction},
                              {"global", "atom", Space::kGlobal, Operation::kAtomic},
                              {"global", "ldgsts", Space::kGlobal, Operation::kCopy},
                              {"local", "ld", Space::kLocal, Operation::kLoad},
                              {"local", "st", Space::kLocal, Operation::kStore}};

void add_row(Catalog& catalog, const TableRow& row) {
  const std::string where = fmt::format("pipe_lsu_mem_{}_op_{}", row.space, row.operation);
  const Selection which = accesses(row.in, row.does);
  const Term requests = requests_of(which), sectors = sectors_of(which), hits = l1_hits_of(which);
  const auto add = [&](const std::string& base, const char* unit, const Term& sum) {
    catalog.counters.push_back({.base = base, .unit = unit, .sum = sum});
    return Term::named(base + ".sum", sum);
  };
  add(fmt::format("smsp__sass_inst_executed_op_{}_{}", row.space, row.operation), "inst", requests);
  add(fmt::format("smsp__inst_executed_op_{}_{}", row.space, row.operation), "inst", requests);
  const Term asked = add("l1tex__t_requests_" + where, "", requests);
  add("l1tex__t_output_wavefronts_" + where, "", tag_wavefronts_of(which));
  const Term looked_up = add("l1tex__t_sectors_" + where, "sector", sectors);
  const Term found = add("l1tex__t_sectors_" + where + "_lookup_hit", "sector", hits);
  add("l1tex__t_sectors_" + where + "_lookup_miss", "sector", sectors - hits);
  add("l1tex__t_bytes_" + where, "byte", kSector * sectors);
  add("l1tex__t_bytes_" + where + "_lookup_miss", "byte", kSector * (sectors - hits));
  catalog.singles.push_back({"l1tex__average_t_sectors_per_request_" + where + ".ratio", "sector",
                             Term::ratio(looked_up, asked)});
  catalog.singles.push_back({fmt::format("l1tex__t_sector_{}_hit_rate.pct", where), "%",
                             Term::ratio(kPercent * found, looked_up)});
}

void add_bytes_per_sector(Catalog& catalog, const TableRow& row) {
  const Selection which = accesses(row.in, row.does);
  // Bytes that several lanes read count once (gtx1660s_sgemm: 4 B of a broadcast).
  const Term bytes = sum_over(
      which, "distinct bytes",
      [](const trace::Site& site, const SiteCounters& c) {
        return std::min(c.request.lanes * site.width, kWord * c.request.words);
      },
      Fidelity::kExact);
  catalog.singles.push_back(
      {fmt::format("smsp__sass_average_data_bytes_per_sector_mem_{}_op_{}.ratio", row.space,
                   row.operation),
       "byte/sector", Term::ratio(bytes, sectors_of(which))});
}

/// What all rows have together, and the paths to and from the crossbar.
void add_totals(Catalog& catalog) {
  const auto add = [&](const char* base, const char* unit, const Term& sum) {
    catalog.counters.push_back({.base = base, .unit = unit, .sum = sum});
  };
  const Selection all = l1_accesses();
  add("l1tex__t_sectors", "sector", sectors_of(all));
  add("l1tex__t_requests", "", requests_of(all));
  add("l1tex__t_output_wavefronts", "", tag_wavefronts_of(all));
  catalog.counters.back().peak = [](const Gpu&) { return 1.0; };
  add("l1tex__t_sectors_lookup_hit", "sector", l1_hits_of(all));
  add("l1tex__t_sectors_lookup_miss", "sector", sectors_of(all) - l1_hits_of(all));
  const Term read = lsu("sectors from the L2 to the L1", &LsuWork::lsu_read_sectors);
  for (const char* base : {"l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld",
                           "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu"}) {
    add(base, "sector", read);
  }
  add("l1tex__m_xbar2l1tex_read_bytes", "byte",
      kSector * lsu("sectors from the L2 to the L1", &LsuWork::read_sectors));
  add("l1tex__m_xbar2l1tex_read_bytes_pipe_lsu", "byte", kSector * read);
  add("l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st", "sector",
      l2_sectors_of(lsu_l2_accesses(L2Class::kWrites)));
  add("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_red", "sector",
      l2_sectors_of(lsu_l2_accesses(L2Class::kReductions)));
  add("l1tex__m_l1tex2xbar_write_bytes", "byte",
      kSector * (l2_sectors_of(l2_accesses()) - l2_sectors_of(l2_accesses(L2Class::kReads))));
  catalog.singles.push_back({"l1tex__t_sector_hit_rate.pct", "%",
                             Term::ratio(kPercent * sum_of(catalog, "l1tex__t_sectors_lookup_hit"),
                                         sum_of(catalog, "l1tex__t_sectors"))});
}

/// The units behind the tags, with their peaks (docs/memory-model.md).
void add_units(Catalog& catalog) {
  const auto lsu_rate = [](const Gpu& gpu) {
    const auto& rate = gpu.architecture.pipes.lsu_inst_per_clk;
    return rate ? rate->value : 0;
  };
  const auto one = [](const Gpu&) { return 1.0; };
  const auto banks = [](const Gpu&) { return 64.0; };  // words a clock, reads and writes each
  const auto add = [&](const char* base, const char* unit, const Term& sum, auto peak,
                       std::function<bool(const Gpu&)> per_tpc = nullptr) {
    catalog.counters.push_back(
        {.base = base, .unit = unit, .sum = sum, .peak = peak, .per_tpc = std::move(per_tpc)});
  };
  const Term instructions = lsu("instructions of the load/store unit", &LsuWork::instructions);
  const auto wavefronts_per_tpc = [](const Gpu& gpu) {
    const auto& unit = gpu.architecture.l1.data_wavefront_unit;
    return unit && unit->value == "tpc";
  };
  const auto requests_per_tpc = [](const Gpu& gpu) {
    const auto& shared = gpu.architecture.l1.request_term_per_tpc;
    return shared && shared->value;
  };
  add("l1tex__lsuin_requests", "", instructions, lsu_rate);
  add("sm__inst_executed_pipe_lsu", "inst", instructions, lsu_rate);
  add("smsp__inst_executed_pipe_lsu", "inst", instructions, lsu_rate);
  add("sm__mio_inst_issued", "inst", instructions,
      [lsu_rate](const Gpu& gpu) { return 2 * lsu_rate(gpu); });
  add("l1tex__data_pipe_lsu_wavefronts", "",
      lsu("wavefronts of the L1 data stage", &LsuWork::data_wavefronts), one, wavefronts_per_tpc);
  add("l1tex__data_bank_reads", "", lsu("words read from the L1 data banks", &LsuWork::words_read),
      banks);
  add("l1tex__data_bank_writes", "",
      lsu("words written to the L1 data banks", &LsuWork::words_written), banks);
  add("l1tex__lsu_writeback_active", "cycle",
      lsu("write-back cycles of 128 B", &LsuWork::writeback_cycles), one);
  add("l1tex__m_l1tex2xbar_req_cycles_active", "cycle",
      lsu("cycles of requests from the L1 to the L2", &LsuWork::request_cycles), one,
      requests_per_tpc);
  add("l1tex__m_xbar2l1tex_read_sectors", "sector",
      lsu("sectors from the L2 to the L1", &LsuWork::read_sectors), [](const Gpu& gpu) {
        const auto& rate = gpu.architecture.l1.return_sectors_per_clk;
        return rate ? static_cast<double>(rate->value) : 0;
      });
}

}  // namespace

void add_l1_metrics(Catalog& catalog) {
  for (const TableRow& row : kRows) add_row(catalog, row);
  for (const TableRow& row : kRows) {
    if (row.does == Operation::kLoad || row.does == Operation::kStore) {
      add_bytes_per_sector(catalog, row);
    }
  }
  add_totals(catalog);
  add_units(catalog);
}

}  // namespace warpledger::profile
