// Metrics and device attributes of a report file of ncu.
#include <algorithm>
#include <map>

#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::report {
namespace {

using ncu::RepMetric;
using ncu::RepValue;

/// ncu keeps counters and launch attributes as double, whatever they count.
std::optional<RepValue> rep_value(const RawValue& raw) {
  if (const auto* n = std::get_if<int64_t>(&raw)) return static_cast<double>(*n);
  if (const auto* x = std::get_if<double>(&raw)) return *x;
  if (const auto* text = std::get_if<std::string>(&raw)) return *text;
  return {};
}

class Attributes {
 public:
  void add(const char* name, int64_t value) {
    all.emplace_back(std::string("device__attribute_") + name, static_cast<uint64_t>(value));
  }
  void add(const char* name, const Count& count, int64_t factor = 1) {
    add(name, count.value * factor);
  }
  void add(const char* name, const Fact<int64_t>& fact, int64_t factor = 1) {
    if (fact) add(name, fact->value * factor);
  }
  std::vector<std::pair<std::string, RepValue>> all;
};

void add_limits(const Architecture& architecture, Attributes& made) {
  const ExecutionFacts& facts = architecture.execution;
  made.add("warp_size", facts.warp_size);
  made.add("max_threads_per_block", facts.max_threads_per_block);
  made.add("max_threads_per_multiprocessor", facts.max_warps_per_sm, facts.warp_size.value);
  made.add("max_warps_per_multiprocessor", facts.max_warps_per_sm);
  made.add("max_warps_per_scheduler",
           facts.max_warps_per_sm.value / facts.sub_partitions_per_sm.value);
  made.add("num_schedulers_per_multiprocessor", facts.sub_partitions_per_sm);
  made.add("limits_max_cta_per_sm", facts.max_blocks_per_sm);
  made.add("max_registers_per_block", facts.max_regs_per_block);
  made.add("max_registers_per_multiprocessor", facts.regs_per_sm);
  made.add("max_registers_per_thread", facts.max_regs_per_thread);
  made.add("total_constant_memory", facts.constant_memory_bytes);
  const SharedMemoryFacts& shared = architecture.shared_memory;
  made.add("max_shared_memory_per_multiprocessor", shared.bytes_per_sm);
  made.add("max_shared_memory_per_block", shared.bytes_per_block);
  made.add("max_shared_memory_per_block_optin", shared.bytes_per_block_optin);
}

/// How NVIDIA's tools number chips, the lowest digit apart of the family: ncu finds a metric's unit
/// by it. The numbers of the open-source driver nouveau; GA100, GA102, GA106 and GH100 stand in
/// published reports.
std::optional<int64_t> number_of_chip(const std::string& chip) {
  static const std::map<std::string, int64_t> kNumbers = {
      {"GP100", 0x130}, {"GP102", 0x132}, {"GP104", 0x134}, {"GP106", 0x136}, {"GV100", 0x140},
      {"TU102", 0x162}, {"TU104", 0x164}, {"TU106", 0x166}, {"TU117", 0x167}, {"TU116", 0x168},
      {"GA100", 0x170}, {"GA102", 0x172}, {"GA103", 0x173}, {"GA104", 0x174}, {"GA106", 0x176},
      {"GA107", 0x177}, {"GA10B", 0x17b}, {"GH100", 0x180}, {"AD102", 0x192}, {"AD103", 0x193},
      {"AD104", 0x194}, {"AD106", 0x196}, {"AD107", 0x197}, {"GB100", 0x1a0}, {"GB102", 0x1a2},
      {"GB202", 0x1b2}, {"GB203", 0x1b3}, {"GB205", 0x1b5}, {"GB206", 0x1b6}, {"GB207", 0x1b7}};
  const auto found = kNumbers.find(chip);
  return found == kNumbers.end() ? std::nullopt : std::optional(found->second);
}

constexpr const char* kOfPeak = ".avg.pct_of_peak_sustained_elapsed";

/// The units that ncu takes the highest of, by the throughput that is made of them.
const std::map<std::string, std::vector<std::string>>& breakdowns() {
  static const std::map<std::string, std::vector<std::string>> kUnits = {
      {"gpu__compute_memory_throughput",
       {"dram__cycles_active", "l1tex__data_bank_reads", "l1tex__data_bank_writes",
        "l1tex__data_pipe_lsu_wavefronts", "l1tex__f_wavefronts", "l1tex__lsu_writeback_active",
        "l1tex__lsuin_requests", "l1tex__m_l1tex2xbar_req_cycles_active",
        "l1tex__m_xbar2l1tex_read_sectors", "lts__d_sectors", "lts__lts2xbar_cycles_active",
        "lts__t_sectors", "lts__t_tag_requests", "lts__xbar2lts_cycles_active"}},
      {"sm__throughput",
       {"sm__inst_executed", "sm__inst_executed_pipe_lsu", "sm__inst_executed_pipe_uniform",
        "sm__inst_executed_pipe_xu", "sm__issue_active", "sm__mio_inst_issued",
        "sm__pipe_alu_cycles_active", "sm__pipe_fma_cycles_active", "sm__pipe_fp64_cycles_active",
        "sm__pipe_tensor_cycles_active"}}};
  return kUnits;
}

/// What the raw page has not, and ncu's sections and rules read: how busy units are.
std::vector<std::string> unit_metrics() {
  std::vector<std::string> names;
  for (const char* pipe : {"alu", "fma", "fp64", "lsu", "uniform", "xu"})
    names.push_back(std::string("sm__inst_executed_pipe_") + pipe +
                    ".avg.pct_of_peak_sustained_active");
  for (const char* pipe : {"alu", "fma", "fp64", "tensor"})
    names.push_back(std::string("sm__pipe_") + pipe +
                    "_cycles_active.avg.pct_of_peak_sustained_active");
  for (const auto& [throughput, units] : breakdowns()) {
    for (const std::string& unit : units) names.push_back(unit + kOfPeak);
  }
  return names;
}

bool has(const std::vector<RepMetric>& metrics, const std::string& name) {
  return std::any_of(metrics.begin(), metrics.end(),
                     [&](const RepMetric& one) { return one.name == name; });
}

/// "breakdown:sm__throughput...": the names of those that are there; and the slots of a scheduler.
void add_breakdowns(const Gpu& gpu, std::vector<RepMetric>& metrics) {
  for (const auto& [throughput, units] : breakdowns()) {
    std::string all;
    for (const std::string& unit : units) {
      if (has(metrics, unit + kOfPeak)) all += (all.empty() ? "" : ",") + unit + kOfPeak;
    }
    if (!all.empty()) metrics.push_back({"breakdown:" + throughput + kOfPeak, all, {}});
  }
  const ExecutionFacts& facts = gpu.architecture.execution;
  const auto warps = static_cast<double>(facts.max_warps_per_sm.value) /
                     static_cast<double>(facts.sub_partitions_per_sm.value);
  metrics.push_back({"smsp__warps_active.avg.peak_sustained", warps, {}});
}

}  // namespace

ncu::RepDevice ncu_device(const Gpu& gpu) {
  constexpr int64_t kKhz = 1000;
  Attributes made;
  made.add("compute_capability_major", gpu.architecture.major);
  made.add("compute_capability_minor", gpu.architecture.minor);
  made.all.emplace_back("device__attribute_display_name", gpu.name + " (predicted by warpledger)");
  if (const auto chip = number_of_chip(gpu.chip)) {
    made.add("architecture", *chip & ~int64_t{15});
    made.add("implementation", *chip);
    made.add("chip", *chip);
  }
  made.add("device_index", 0);
  made.add("sass_level", gpu.architecture.major);
  made.add("multiprocessor_count", gpu.sms);
  made.add("clock_rate", gpu.clocks.boost_mhz, kKhz);
  made.add("memory_clock_rate", gpu.dram.mhz, kKhz);
  made.add("global_memory_bus_width", gpu.dram.bus_bits);
  made.add("l2_cache_size", gpu.l2.bytes);
  made.add("l2s_count", gpu.l2.slices);
  add_limits(gpu.architecture, made);
  return {.id = 0, .name = gpu.name + " (predicted by warpledger)", .attributes = made.all};
}

std::vector<RepMetric> ncu_metrics(const NcuLaunch& launch) {
  std::vector<RepMetric> metrics;
  if (launch.code) metrics = ncu_source_metrics(launch.profile, *launch.code);
  std::vector<std::string> names = profile::standard_metrics();
  for (const std::string& name : unit_metrics()) {
    if (profile::find_metric(name)) names.push_back(name);
  }
  for (const std::string& name : names) {
    const auto value = rep_value(profile::answer(name, launch.profile).value.raw);
    if (value && !has(metrics, name)) metrics.push_back({name, value, {}});
  }
  add_breakdowns(launch.profile.gpu, metrics);
  for (const auto& [name, value] : ncu_device(launch.profile.gpu).attributes) {
    metrics.push_back({name, value, {}});
  }
  return metrics;
}

}  // namespace warpledger::report
