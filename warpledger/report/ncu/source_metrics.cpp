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

/// Lanes that were on in an execution: those of the PTX instruction. What ptxas made for none has
/// those of the instruction before it, at the beginning of the instruction after it.
std::vector<double> lanes_of(const Profile& profile, const MachineCode& code) {
  std::vector<double> lanes(code.lines.size(), -1);
  for (size_t i = 0; i < lanes.size(); ++i) {
    const uint32_t number = code.lines[i].number;
    const bool ran = number < profile.code.size() && profile.code[number].executions > 0;
    if (ran) {
      lanes[i] = static_cast<double>(profile.code[number].lanes) /
                 static_cast<double>(profile.code[number].executions);
    } else if (i > 0) {
      lanes[i] = lanes[i - 1];
    }
  }
  for (size_t i = lanes.size(); i-- > 1;) {
    if (lanes[i - 1] < 0) lanes[i - 1] = lanes[i];
  }
  return lanes;
}

RepMetric threads(const Profile& profile, const MachineCode& code) {
  RepMetric metric{.name = "thread_inst_executed_true"};
  const std::vector<double> lanes = lanes_of(profile, code);
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] < 0) continue;  // nothing ran
    const double count = lanes[i] * static_cast<double>(code.lines[i].executions);
    metric.instances.push_back({code.lines[i].address, static_cast<uint64_t>(count)});
  }
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

}  // namespace

std::vector<RepMetric> ncu_source_metrics(const Profile& profile, const MachineCode& code) {
  using enum trace::Space;
  std::vector<RepMetric> metrics;
  metrics.push_back(
      {"launch__function_pcs", static_cast<double>(code.address), {{uint64_t{0}, code.address}}});
  metrics.push_back(executed(code));
  metrics.push_back(threads(profile, code));
  if (profile.machine) metrics.push_back(opcodes(*profile.machine));
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
