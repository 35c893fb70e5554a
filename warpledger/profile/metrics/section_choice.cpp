#include "warpledger/profile/metrics/section_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::profile {
namespace {

constexpr const char* kTables = "MemoryWorkloadAnalysis_Tables";

const std::map<std::string, std::string>& identifiers() {
  static const std::map<std::string, std::string> by_title = {
      {"GPU Speed Of Light Throughput", "SpeedOfLight"},
      {"Compute Workload Analysis", "ComputeWorkloadAnalysis"},
      {"Memory Workload Analysis", "MemoryWorkloadAnalysis"},
      {"Scheduler Statistics", "SchedulerStats"},
      {"Warp State Statistics", "WarpStateStats"},
      {"Instruction Statistics", "InstructionStats"},
      {"Launch Statistics", "LaunchStats"},
      {"Occupancy", "Occupancy"},
      {"GPU and Memory Workload Distribution", "WorkloadDistribution"},
      {"Source Counters", "SourceCounters"}};
  return by_title;
}

Diagnostic unknown(const std::string& name) {
  std::vector<std::string> known;
  for (const Section& section : sections()) known.push_back(section_id(section));
  known.emplace_back(kTables);
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = fmt::format("there are {}", fmt::join(known, ", "));
  return {.message = fmt::format("there is no section '{}'", name),
          .hint = hint,
          .code = "unknown-section"};
}

}  // namespace

std::string section_id(const Section& section) {
  const auto found = identifiers().find(section.title);
  return found == identifiers().end() ? "" : found->second;
}

Result<SectionChoice> choose_sections(const std::vector<std::string>& names) {
  if (names.empty()) return SectionChoice{sections(), true};
  SectionChoice choice;
  std::vector<bool> chosen(sections().size(), false);
  for (const std::string& name : names) {
    WL_TRY(const KernelPattern pattern, KernelPattern::parse(name, NameBase::kMangled));
    bool found = pattern.matches(kTables);
    choice.memory_tables |= found;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Section& section = sections()[i];
      const std::string id = section_id(section);
      if (section.title != name && (id.empty() || !pattern.matches(id))) continue;
      chosen[i] = found = true;
    }
    if (!found) return unknown(name);
  }
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) choice.sections.push_back(sections()[i]);
  }
  return choice;
}

}  // namespace warpledger::profile
