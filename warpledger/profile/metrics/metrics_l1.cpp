// The L1/TEX table: global and local memory through the tag stage, and what the L1 sends and gets.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Space;

constexpr uint64_t kWord = 4;

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

using Pick = uint64_t (*)(const SiteCounters&);

void add_counter(Catalogue& catalogue, std::string base, const char* unit, const TableRow& row,
                 Pick pick, Fidelity fidelity) {
  catalogue.counters.push_back(
      {.base = std::move(base), .unit = unit, .sum = [=](const Evidence& evidence) {
         const uint64_t n = pick(sum_of(evidence, row.in, row.does));
         return Value{.raw = static_cast<int64_t>(n), .fidelity = fidelity};
       }});
}

uint64_t requests(const SiteCounters& c) { return c.request.requests; }
uint64_t sectors(const SiteCounters& c) { return c.request.sectors; }
uint64_t hits(const SiteCounters& c) { return c.l1_hit_sectors; }
uint64_t misses(const SiteCounters& c) { return c.request.sectors - c.l1_hit_sectors; }

void add_row(Catalogue& catalogue, const TableRow& row) {
  const std::string where = fmt::format("pipe_lsu_mem_{}_op_{}", row.space, row.operation);
  const auto exactly = Fidelity::kExact;
  const auto add = [&](const std::string& base, const char* unit, Pick pick, Fidelity fidelity) {
    add_counter(catalogue, base, unit, row, pick, fidelity);
  };
  add(fmt::format("smsp__sass_inst_executed_op_{}_{}", row.space, row.operation), "inst", requests,
      exactly);
  add(fmt::format("smsp__inst_executed_op_{}_{}", row.space, row.operation), "inst", requests,
      exactly);
  add("l1tex__t_requests_" + where, "", requests, exactly);
  add(
      "l1tex__t_output_wavefronts_" + where, "",
      [](const SiteCounters& c) { return c.tag_wavefronts; }, exactly);
  add("l1tex__t_sectors_" + where, "sector", sectors, exactly);
  add("l1tex__t_sectors_" + where + "_lookup_hit", "sector", hits, Fidelity::kModelled);
  add("l1tex__t_sectors_" + where + "_lookup_miss", "sector", misses, Fidelity::kModelled);
  add(
      "l1tex__t_bytes_" + where, "byte",
      [](const SiteCounters& c) { return kSectorBytes * c.request.sectors; }, exactly);
  add(
      "l1tex__t_bytes_" + where + "_lookup_miss", "byte",
      [](const SiteCounters& c) { return kSectorBytes * misses(c); }, Fidelity::kModelled);
  catalogue.singles.push_back({"l1tex__average_t_sectors_per_request_" + where + ".ratio", "sector",
                               [row](const Evidence& evidence) {
                                 const SiteCounters sum = sum_of(evidence, row.in, row.does);
                                 return ratio(static_cast<double>(sum.request.sectors),
                                              static_cast<double>(sum.request.requests),
                                              Fidelity::kExact);
                               }});
  catalogue.singles.push_back(
      {fmt::format("l1tex__t_sector_{}_hit_rate.pct", where), "%", [row](const Evidence& evidence) {
         const SiteCounters sum = sum_of(evidence, row.in, row.does);
         return ratio(100.0 * static_cast<double>(sum.l1_hit_sectors),
                      static_cast<double>(sum.request.sectors), Fidelity::kModelled);
       }});
}

void add_bytes_per_sector(Catalogue& catalogue, const TableRow& row) {
  catalogue.singles.push_back(
      {fmt::format("smsp__sass_average_data_bytes_per_sector_mem_{}_op_{}.ratio", row.space,
                   row.operation),
       "byte/sector", [row](const Evidence& evidence) {
         double bytes = 0, touched = 0;
         for (size_t i = 0; i < evidence.counters.sites.size(); ++i) {
           const trace::Site& site = evidence.profile.instructions[i].site;
           if (site.space != row.in || operation_of(site) != row.does) continue;
           const memory::RequestCounters& sum = evidence.counters.sites[i].request;
           // Bytes that several lanes read count once (gtx1660s_sgemm: 4 B of a broadcast).
           bytes += static_cast<double>(std::min(sum.lanes * site.width, kWord * sum.words));
           touched += static_cast<double>(sum.sectors);
         }
         return ratio(bytes, touched, Fidelity::kExact);
       }});
}

/// What all rows have together, and the paths to and from the crossbar.
void add_totals(Catalogue& catalogue) {
  const auto add = [&](const char* base, const char* unit, auto formula) {
    catalogue.counters.push_back({.base = base, .unit = unit, .sum = formula});
  };
  add("l1tex__t_sectors", "sector",
      [](const Evidence& e) { return exact(sum_of_l1(e).request.sectors); });
  add("l1tex__t_requests", "",
      [](const Evidence& e) { return exact(sum_of_l1(e).request.requests); });
  catalogue.counters.push_back(
      {.base = "l1tex__t_output_wavefronts",
       .unit = "",
       .sum = [](const Evidence& e) { return exact(sum_of_l1(e).tag_wavefronts); },
       .peak = [](const Gpu&) { return 1.0; }});
  add("l1tex__t_sectors_lookup_hit", "sector",
      [](const Evidence& e) { return modelled(sum_of_l1(e).l1_hit_sectors); });
  add("l1tex__t_sectors_lookup_miss", "sector",
      [](const Evidence& e) { return modelled(misses(sum_of_l1(e))); });
  for (const char* base : {"l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld",
                           "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu"}) {
    add(base, "sector", [](const Evidence& e) { return modelled(lsu_work(e).read_sectors); });
  }
  for (const char* base :
       {"l1tex__m_xbar2l1tex_read_bytes", "l1tex__m_xbar2l1tex_read_bytes_pipe_lsu"}) {
    add(base, "byte",
        [](const Evidence& e) { return modelled(kSectorBytes * lsu_work(e).read_sectors); });
  }
  add("l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st", "sector",
      [](const Evidence& e) { return modelled(l2_work(e).writes.l2_sectors); });
  add("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_red", "sector",
      [](const Evidence& e) { return modelled(l2_work(e).reductions.l2_sectors); });
  add("l1tex__m_l1tex2xbar_write_bytes", "byte", [](const Evidence& e) {
    const L2Work work = l2_work(e);
    return modelled(kSectorBytes * (work.total().l2_sectors - work.reads.l2_sectors));
  });
  catalogue.singles.push_back({"l1tex__t_sector_hit_rate.pct", "%", [](const Evidence& e) {
                                 const SiteCounters sum = sum_of_l1(e);
                                 return ratio(100.0 * static_cast<double>(sum.l1_hit_sectors),
                                              static_cast<double>(sum.request.sectors),
                                              Fidelity::kModelled);
                               }});
}

/// The units behind the tags, with their peaks (docs/memory-model.md).
void add_units(Catalogue& catalogue) {
  const auto lsu = [](const Gpu& gpu) {
    const auto& rate = gpu.architecture.pipes.lsu_inst_per_clk;
    return rate ? rate->value : 0;
  };
  const auto one = [](const Gpu&) { return 1.0; };
  const auto banks = [](const Gpu&) { return 64.0; };  // words a clock, reads and writes each
  const auto add = [&](const char* base, const char* unit, uint64_t LsuWork::*field, auto peak,
                       std::function<bool(const Gpu&)> per_tpc = nullptr) {
    catalogue.counters.push_back(
        {.base = base,
         .unit = unit,
         .sum = [field](const Evidence& e) { return modelled(lsu_work(e).*field); },
         .peak = peak,
         .per_tpc = std::move(per_tpc)});
  };
  const auto wavefronts_per_tpc = [](const Gpu& gpu) {
    const auto& unit = gpu.architecture.l1.data_wavefront_unit;
    return unit && unit->value == "tpc";
  };
  const auto requests_per_tpc = [](const Gpu& gpu) {
    const auto& shared = gpu.architecture.l1.request_term_per_tpc;
    return shared && shared->value;
  };
  add("l1tex__lsuin_requests", "", &LsuWork::instructions, lsu);
  add("sm__inst_executed_pipe_lsu", "inst", &LsuWork::instructions, lsu);
  add("smsp__inst_executed_pipe_lsu", "inst", &LsuWork::instructions, lsu);
  add("sm__mio_inst_issued", "inst", &LsuWork::instructions,
      [lsu](const Gpu& gpu) { return 2 * lsu(gpu); });
  add("l1tex__data_pipe_lsu_wavefronts", "", &LsuWork::data_wavefronts, one, wavefronts_per_tpc);
  add("l1tex__data_bank_reads", "", &LsuWork::words_read, banks);
  add("l1tex__data_bank_writes", "", &LsuWork::words_written, banks);
  add("l1tex__lsu_writeback_active", "cycle", &LsuWork::writeback_cycles, one);
  add("l1tex__m_l1tex2xbar_req_cycles_active", "cycle", &LsuWork::request_cycles, one,
      requests_per_tpc);
  add("l1tex__m_xbar2l1tex_read_sectors", "sector", &LsuWork::read_sectors, [](const Gpu& gpu) {
    const auto& rate = gpu.architecture.l1.return_sectors_per_clk;
    return rate ? static_cast<double>(rate->value) : 0;
  });
}

}  // namespace

void add_l1_metrics(Catalogue& catalogue) {
  for (const TableRow& row : kRows) add_row(catalogue, row);
  for (const TableRow& row : kRows) {
    if (row.does == Operation::kLoad || row.does == Operation::kStore) {
      add_bytes_per_sector(catalogue, row);
    }
  }
  add_totals(catalogue);
  add_units(catalogue);
}

}  // namespace warpledger::profile
