// Metrics of machine instructions. Executions are of the machine code. What a memory instruction
// touched is counted by the PTX instruction that it was made for: where ptxas made several of one,
// each has a part by its executions, and the parts add up.
#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::report {
namespace {

using ncu::RepMetric;
using profile::MachineCode;
using profile::MachineLine;
using profile::Profile;

/// `total` by the executions of lines that share it: parts add up to what they are parts of.
class Sharing {
 public:
  uint64_t part(uint64_t total, uint64_t executions, uint64_t all, uint32_t of) {
    if (all == 0) return 0;
    uint64_t& before = done_[of];
    const auto until = [&](uint64_t n) {
      return static_cast<uint64_t>(static_cast<__uint128_t>(total) * n / all);
    };
    const uint64_t given = until(before);
    before += executions;
    return until(before) - given;
  }

 private:
  std::map<uint32_t, uint64_t> done_;  // executions so far
};

/// A metric of the memory instructions in one space.
RepMetric of_sites(const Profile& profile, const MachineCode& code, const char* name,
                   trace::Space space, uint64_t (*count)(const memory::RequestCounters&)) {
  RepMetric metric{.name = name, .value = uint64_t{0}};
  Sharing sharing;
  uint64_t sum = 0;
  for (const MachineLine& line : code.lines) {
    if (line.site == MachineLine::kNone) continue;
    if (profile.instructions[line.site].site.space != space) continue;
    const uint64_t total = count(profile.counters.sites[line.site].request);
    const uint64_t part = sharing.part(total, line.executions, line.site_executions, line.site);
    metric.instances.push_back({line.address, part});
    sum += part;
  }
  metric.value = sum;
  return metric;
}

RepMetric executed(const MachineCode& code) {
  RepMetric metric{.name = "inst_executed"};
  uint64_t sum = 0;
  for (const MachineLine& line : code.lines) {
    metric.instances.push_back({line.address, line.executions});
    sum += line.executions;
  }
  metric.value = sum;
  return metric;
}

RepMetric threads(const MachineCode& code, const char* name,
                  std::optional<uint64_t> MachineLine::*count) {
  RepMetric metric{.name = name};
  uint64_t sum = 0;
  for (const MachineLine& line : code.lines) {
    if (!(line.*count)) continue;
    metric.instances.push_back({line.address, *(line.*count)});
    sum += *(line.*count);
  }
  metric.value = sum;
  return metric;
}

RepMetric opcodes(const profile::Machine& machine) {
  RepMetric metric{.name = "sass__inst_executed_per_opcode"};
  for (const auto& [opcode, count] : machine.opcodes) {
    metric.instances.push_back({opcode, count});
  }
  metric.value = machine.instructions;
  return metric;
}

using Request = memory::RequestCounters;

/// ncu's name of a reason, as in smsp__pcsamp_warps_issue_stalled_REASON.
std::string sampled_name(sm::Reason reason) {
  const std::string name(to_text(reason));
  return "smsp__pcsamp_warps_issue_stalled_" +
         (reason == sm::Reason::kNoInstruction ? name + "s" : name);
}

/// Warp cycles of the simulated SM, as if each had been sampled.
RepMetric sampled(const MachineCode& code, const std::string& name,
                  double (*cycles)(const sm::Cycles&, size_t), size_t reason) {
  RepMetric metric{.name = name};
  uint64_t sum = 0;
  for (const MachineLine& line : code.lines) {
    if (!line.states) continue;
    const auto here = static_cast<uint64_t>(cycles(line.states->cycles, reason) + 0.5);
    metric.instances.push_back({line.address, here});
    sum += here;
  }
  metric.value = sum;
  return metric;
}

void add_samples(const MachineCode& code, std::vector<RepMetric>& metrics) {
  if (code.lines.empty() || !code.lines.front().states) return;
  metrics.push_back(sampled(
      code, "smsp__pcsamp_sample_count",
      [](const sm::Cycles& all, size_t) { return sm::sum_of(all); }, 0));
  for (size_t r = 0; r < sm::kReasons; ++r)
    metrics.push_back(sampled(
        code, sampled_name(static_cast<sm::Reason>(r)),
        [](const sm::Cycles& all, size_t reason) { return all[reason]; }, r));
}

/// "stall_long_sb", as ncu heads its columns.
std::string column_label(sm::Reason reason) {
  using enum sm::Reason;
  switch (reason) {
    case kDispatchStall:
      return "stall_dispatch";
    case kImcMiss:
      return "stall_imc";
    case kLgThrottle:
      return "stall_lg";
    case kLongScoreboard:
      return "stall_long_sb";
    case kMathPipeThrottle:
      return "stall_math";
    case kMioThrottle:
      return "stall_mio";
    case kNoInstruction:
      return "stall_no_inst";
    case kShortScoreboard:
      return "stall_short_sb";
    default:
      return "stall_" + std::string(to_text(reason));
  }
}

}  // namespace

std::vector<ncu::RepLine> ncu_source_columns() {
  std::vector<ncu::RepLine> columns = {
      {"smsp__pcsamp_sample_count", "# Samples", ""},
      {"inst_executed", "Instructions Executed", ""},
      {"thread_inst_executed", "Thread Instructions Executed", ""},
      {"thread_inst_executed_true", "Predicated-On Thread Instructions Executed", ""},
      {"memory_l1_tag_requests_global", "L1 Tag Requests Global", ""},
      {"derived__memory_l1_wavefronts_shared_excessive", "L1 Wavefronts Shared Excessive", ""},
      {"memory_l1_wavefronts_shared", "L1 Wavefronts Shared", ""},
      {"memory_l1_wavefronts_shared_ideal", "L1 Wavefronts Shared Ideal", ""},
      {"derived__memory_l2_theoretical_sectors_global_excessive",
       "L2 Theoretical Sectors Global Excessive", ""},
      {"memory_l2_theoretical_sectors_global", "L2 Theoretical Sectors Global", ""},
      {"memory_l2_theoretical_sectors_global_ideal", "L2 Theoretical Sectors Global Ideal", ""},
      {"memory_l2_theoretical_sectors_local", "L2 Theoretical Sectors Local", ""}};
  for (size_t r = 0; r < sm::kReasons; ++r) {
    const auto reason = static_cast<sm::Reason>(r);
    columns.push_back({sampled_name(reason), column_label(reason), ""});
  }
  return columns;
}

std::vector<RepMetric> ncu_source_metrics(const Profile& profile, const MachineCode& code) {
  using enum trace::Space;
  std::vector<RepMetric> metrics;
  metrics.push_back(
      {"launch__function_pcs", static_cast<double>(code.address), {{uint64_t{0}, code.address}}});
  metrics.push_back(executed(code));
  metrics.push_back(threads(code, "thread_inst_executed", &MachineLine::threads));
  metrics.push_back(threads(code, "thread_inst_executed_true", &MachineLine::threads_on));
  if (profile.machine) metrics.push_back(opcodes(*profile.machine));
  add_samples(code, metrics);
  const auto add = [&](const char* name, trace::Space space, uint64_t (*count)(const Request&)) {
    metrics.push_back(of_sites(profile, code, name, space, count));
  };
  add("memory_l1_tag_requests_global", kGlobal, [](const Request& r) { return r.tags; });
  add("memory_l2_theoretical_sectors_global", kGlobal,
      [](const Request& r) { return r.theoretical_sectors; });
  add("memory_l2_theoretical_sectors_global_ideal", kGlobal,
      [](const Request& r) { return r.ideal_sectors; });
  add("derived__memory_l2_theoretical_sectors_global_excessive", kGlobal,
      [](const Request& r) { return r.theoretical_sectors - r.ideal_sectors; });
  add("memory_l2_theoretical_sectors_local", kLocal,
      [](const Request& r) { return r.theoretical_sectors; });
  add("memory_l1_wavefronts_shared", kShared, [](const Request& r) { return r.data_wavefronts; });
  add("memory_l1_wavefronts_shared_ideal", kShared,
      [](const Request& r) { return r.ideal_wavefronts; });
  add("derived__memory_l1_wavefronts_shared_excessive", kShared,
      [](const Request& r) { return r.data_wavefronts - r.ideal_wavefronts; });
  return metrics;
}

}  // namespace warpledger::report
