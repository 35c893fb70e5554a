// What needs time: cycles, duration, throughputs. Clocks are facts of the GPU under ncu.
#include <algorithm>
#include <cmath>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

constexpr double kMega = 1e6, kNano = 1e9;

/// The time model is not a combination of counters: its results are inputs with a name.
void add(Catalog& catalog, const char* name, const char* unit, std::string words,
         std::function<Value(const Evidence&)> value) {
  catalog.singles.push_back({name, unit, computed(std::move(words), std::move(value))});
}

template <class Formula>
std::function<Value(const Evidence&)> timed(Formula formula) {
  return [formula](const Evidence& e) {
    if (!e.profile.timing) return not_modeled();
    return Value{.raw = formula(e, *e.profile.timing), .fidelity = Fidelity::kModeled};
  };
}

Value hertz(const Fact<int64_t>& mhz) {
  if (!mhz) return not_modeled();
  return {.raw = static_cast<double>(mhz->value) * kMega, .fidelity = mhz->fidelity};
}

/// The units of a throughput: it is the busiest of them (PerfWorks' breakdown lists).
using Breakdown = std::vector<const char*>;

const Breakdown& l1_access() {
  static const Breakdown units = {"l1tex__data_bank_reads", "l1tex__data_bank_writes",
                                  "l1tex__data_pipe_lsu_wavefronts"};
  return units;
}
const Breakdown& l1_request() {
  static const Breakdown units = {"l1tex__lsuin_requests", "l1tex__lsu_writeback_active",
                                  "l1tex__m_l1tex2xbar_req_cycles_active",
                                  "l1tex__m_xbar2l1tex_read_sectors"};
  return units;
}
const Breakdown& l2_access() {
  static const Breakdown units = {"lts__d_atomic_input_cycles_active", "lts__d_sectors",
                                  "lts__t_sectors", "lts__t_tag_requests"};
  return units;
}
const Breakdown& l2_request() {
  static const Breakdown units = {"lts__lts2xbar_cycles_active", "lts__xbar2lts_cycles_active",
                                  "lts__d_sectors_fill_device"};
  return units;
}

Term metric_of(const Catalog& catalog, const std::string& name) {
  const Result<Metric> metric = find_metric(catalog, name);
  WL_CHECK(metric.ok());
  return Term::named(metric->name, metric->formula);
}

std::vector<Term> parts_of(const Catalog& catalog, const std::vector<const Breakdown*>& lists,
                           const std::string& rollup) {
  std::vector<Term> parts;
  for (const Breakdown* list : lists) {
    for (const char* base : *list) parts.push_back(metric_of(catalog, base + ("." + rollup)));
  }
  return parts;
}

/// Of what two SMs share: twice the share of one. Only the L1's own throughput has these terms, and
/// the one of requests is over elapsed cycles in both of its forms (T4, GTX 1660 SUPER, RTX 4090).
void add_shared_by_two(const Catalog& catalog, const std::string& rollup,
                       std::vector<Term>& parts) {
  for (const auto& [base, how] :
       {std::pair<std::string, std::string>{"l1tex__data_pipe_lsu_wavefronts", rollup},
        {"l1tex__m_l1tex2xbar_req_cycles_active", "avg.pct_of_peak_sustained_elapsed"}}) {
    for (const Counter& counter : catalog.counters) {
      if (counter.base != base) continue;
      const auto per_tpc = counter.per_tpc;
      const Term sharers = fact("2 where two SMs share the unit", [per_tpc](const Gpu& gpu) {
        return per_tpc && per_tpc(gpu) ? 2 : 0;
      });
      parts.push_back(sharers * metric_of(catalog, base + "." + how));
    }
  }
}

void add_l1_throughput(Catalog& catalog, const std::string& rollup) {
  std::vector<Term> parts = parts_of(catalog, {&l1_access(), &l1_request()}, rollup);
  add_shared_by_two(catalog, rollup, parts);
  catalog.singles.push_back({"l1tex__throughput." + rollup, "%", Term::busiest(parts)});
}

void add_throughputs(Catalog& catalog) {
  static const Breakdown dram = {"dram__cycles_active", "fbpa__dram_sectors"};
  static const Breakdown lsu = {"sm__inst_executed_pipe_lsu", "sm__mio_inst_issued",
                                "sm__pipe_barrier_cycles"};
  static const Breakdown pipes = {"sm__ptx_instructions",
                                  "sm__pipe_alu_cycles_active",
                                  "sm__pipe_fma_cycles_active",
                                  "sm__pipe_integer_multiply_cycles",
                                  "sm__pipe_xu_cycles",
                                  "sm__pipe_fp64_cycles_active",
                                  "sm__pipe_tensor_cycles_active",
                                  "sm__pipe_uniform_cycles"};
  const std::string elapsed = "avg.pct_of_peak_sustained_elapsed";
  const std::string active = "avg.pct_of_peak_sustained_active";
  const auto add_max = [&](const std::string& name, const std::string& rollup,
                           const std::vector<const Breakdown*>& lists) {
    catalog.singles.push_back(
        {name + "." + rollup, "%", Term::busiest(parts_of(catalog, lists, rollup))});
  };
  add_max("gpu__compute_memory_throughput", elapsed,
          {&l1_access(), &l1_request(), &l2_access(), &l2_request(), &dram});
  add_max("gpu__compute_memory_access_throughput", elapsed, {&l1_access(), &l2_access()});
  add_max("gpu__compute_memory_request_throughput", elapsed, {&l1_request(), &l2_request(), &dram});
  add_max("gpu__dram_throughput", elapsed, {&dram});
  add_l1_throughput(catalog, active);
  add_l1_throughput(catalog, elapsed);
  // The path between the halves of the L2 is not part of the GPU's memory throughput.
  static const Breakdown fabric = {"lts__ltcfabric2lts_cycles_active"};
  add_max("lts__throughput", elapsed, {&l2_access(), &l2_request(), &fabric});
  add_max("sm__memory_throughput", elapsed, {&lsu});
  add_max("sm__instruction_throughput", elapsed, {&pipes});
  add_max("sm__instruction_throughput", active, {&pipes});
  add_max("sm__throughput", elapsed, {&pipes, &lsu});
}

/// A slice is active while it holds a request: with kInSlice cycles a sector and arrivals at
/// random, all but exp(-sectors per cycle x kInSlice) of the time in which SMs work. The constant
/// is of the size of an L2 hit without the way to it; published shares above a tenth of the peak
/// are near 1.
double busy_slice_cycles(const Evidence& e, const Timing& timing) {
  constexpr double kInSlice = 25;
  const double cycles =
      elapsed_cycles(Domain::kLts, e.profile) * instances(Domain::kLts, e.profile.gpu);
  if (cycles == 0) return 0;
  const double sectors = static_cast<double>(e.counters.l2.lookups());
  return cycles * timing.active_cycles / timing.elapsed_cycles *
         (1 - std::exp(-sectors / cycles * kInSlice));
}

void add_cycles(Catalog& catalog) {
  const auto cycles = [&](const char* unit, Domain domain, bool active) {
    const std::string base = unit;
    catalog.counters.push_back(
        {.base = base + (active ? "__cycles_active" : "__cycles_elapsed"),
         .unit = "cycle",
         .domain = domain,
         .sum = computed(
             active ? "active cycles of the time model, a mean over the SMs, x units"
                    : "elapsed cycles of the time model in the unit's clock x units, rounded",
             timed([domain, active](const Evidence& e, const Timing& timing) {
               const double units = instances(domain, e.profile.gpu);
               // Elapsed cycles are counted: whole. Active ones are a mean over SMs.
               return active ? timing.active_cycles * units
                             : std::round(elapsed_cycles(domain, e.profile) * units);
             }))});
  };
  for (const bool active : {false, true}) {
    cycles("sm", Domain::kSm, active);
    cycles("l1tex", Domain::kSm, active);
    cycles("smsp", Domain::kSmsp, active);
  }
  cycles("lts", Domain::kLts, false);
  cycles("dram", Domain::kDram, false);
  catalog.counters.push_back({.base = "lts__cycles_active",
                              .unit = "cycle",
                              .domain = Domain::kLts,
                              .sum = computed("cycles of the slices while SMs work x (1 - "
                                              "exp(-25 x sectors per cycle of a slice))",
                                              timed(busy_slice_cycles))});
}

/// factor x (machine instructions per scheduler and active cycle) + offset.
Term issued_share(const char* words, double factor, double offset) {
  return computed(words, [factor, offset](const Evidence& e) {
    if (!e.profile.timing || !e.profile.machine) return not_modeled();
    const double schedulers = instances(Domain::kSmsp, e.profile.gpu);
    const double issued = static_cast<double>(e.profile.machine->instructions) /
                          (schedulers * e.profile.timing->active_cycles);
    return Value{.raw = factor * std::min(1.0, issued) + offset, .fidelity = Fidelity::kModeled};
  });
}

void add_warps(Catalog& catalog) {
  add(catalog, "sm__warps_active.avg.per_cycle_active", "warp",
      "resident warps of an SM in the time model, a mean over its active cycles",
      timed([](const Evidence&, const Timing& timing) { return timing.resident_warps; }));
  add(catalog, "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
      "100 x resident warps of an SM in the time model / warps that an SM holds at most",
      timed([](const Evidence& e, const Timing& timing) {
        const auto most = e.profile.gpu.architecture.execution.max_warps_per_sm.value;
        return 100 * timing.resident_warps / static_cast<double>(most);
      }));
  add(catalog, "smsp__warps_active.avg.per_cycle_active", "warp",
      "resident warps of an SM in the time model / schedulers of an SM",
      timed([](const Evidence& e, const Timing& timing) {
        const auto parts = e.profile.gpu.architecture.execution.sub_partitions_per_sm.value;
        return timing.resident_warps / static_cast<double>(parts);
      }));
  // A scheduler issues one instruction a cycle or none; those that are issued again are few.
  const auto add_issue = [&](const char* name, const char* unit, const Term& formula) {
    catalog.singles.push_back({name, unit, formula});
  };
  add_issue(
      "smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
      issued_share("100 x min(1, machine instructions / (schedulers x active cycles))", 100, 0));
  add_issue("smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%",
            issued_share("100 - 100 x min(1, machine instructions / (schedulers x active cycles))",
                         -100, 100));
  add_issue("smsp__issue_active.avg.per_cycle_active", "",
            issued_share("min(1, machine instructions / (schedulers x active cycles))", 1, 0));
}

}  // namespace

void add_time_metrics(Catalog& catalog) {
  add(catalog, "dram__cycles_elapsed.avg.per_second", "hz", "DRAM clock under ncu (GPU file)",
      [](const Evidence& e) {
        const DramFacts& dram = e.profile.gpu.dram;
        return hertz(dram.ncu_mhz ? dram.ncu_mhz : dram.mhz);
      });
  for (const char* name :
       {"gpc__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second"}) {
    add(catalog, name, "hz", "SM clock under ncu (GPU file), else the time model's",
        [](const Evidence& e) {
          const Fact<int64_t>& seen = e.profile.gpu.clocks.ncu_sm_mhz;
          if (seen || !e.profile.timing) return hertz(seen);
          return Value{.raw = e.profile.timing->sm_hertz, .fidelity = Fidelity::kAssumed};
        });
  }
  add(catalog, "gpc__cycles_elapsed.max", "cycle", "elapsed cycles of the time model",
      timed([](const Evidence&, const Timing& timing) { return timing.elapsed_cycles; }));
  add(catalog, "gpu__time_duration.sum", "ns", "elapsed cycles of the time model / SM clock",
      timed([](const Evidence&, const Timing& timing) { return timing.seconds() * kNano; }));
  add_cycles(catalog);
  add_warps(catalog);
  add_throughputs(catalog);
}

}  // namespace warpledger::profile
