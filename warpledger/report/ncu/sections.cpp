// Sections and rule results of a report file of ncu.
#include <fmt/format.h>

#include <map>

#include "warpledger/profile/metrics/section_choice.h"
#include "warpledger/report/finding_rules.h"
#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::report {
namespace {

using ncu::RepRule;
using ncu::RepSection;
using profile::Profile;

constexpr const char* kMemory = "MemoryWorkloadAnalysis";
constexpr const char* kSource = "SourceCounters";
constexpr uint32_t kStep = 10;  // between the places of sections, as ncu leaves them

RepSection section_of(const profile::Section& section, const Profile& profile) {
  RepSection made{.id = profile::section_id(section), .title = section.title};
  for (const profile::Entry& entry : section.entries) {
    const profile::Answered answered = profile::answer(entry.metric, profile);
    if (answered.value.is_known()) made.lines.push_back({entry.metric, entry.label, ""});
  }
  return made;
}

/// The parts of the memory section that ncu draws by itself.
void add_memory_parts(uint32_t order, std::vector<RepSection>& sections) {
  using enum ncu::RepWidget;
  sections.push_back({.id = std::string(kMemory) + "_Chart",
                      .title = "Memory Workload Analysis Chart",
                      .extends = kMemory,
                      .order = order + 1,
                      .widgets = {kMemoryChart}});
  sections.push_back({.id = std::string(kMemory) + "_Tables",
                      .title = "Memory Workload Analysis Tables",
                      .extends = kMemory,
                      .order = order + 2,
                      .widgets = {kSharedTable, kL1Table, kL2Table, kDeviceTable}});
}

RepRule rule_of(const profile::SectionRule& rule) {
  return {.id = rule.name,
          .title = rule.title,
          .section = rule.section,
          .messages = {{.text = rule.text,
                        .mark = ncu::RepMark::kWarning,
                        .speedup = rule.speedup,
                        .is_local = rule.is_local}}};
}

/// "exact: Block Size, Threads; modeled: Duration" of a section's lines.
std::string fidelity_of(const RepSection& section, const Profile& profile) {
  std::map<std::string, std::vector<std::string>> labels;  // by fidelity
  for (const ncu::RepLine& line : section.lines) {
    const Fidelity fidelity = profile::answer(line.metric, profile).value.fidelity;
    labels[std::string(to_text(fidelity))].push_back(line.label);
  }
  std::vector<std::string> parts;
  for (const auto& [word, names] : labels) {
    parts.push_back(fmt::format("{}: {}", word, fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

RepRule notice_of(const RepSection& section, const Profile& profile) {
  return {.id = "warpledger_fidelity_" + section.id,
          .title = "Predicted, not measured",
          .section = section.id,
          .messages = {{.text = "Predicted by warpledger: no GPU ran this launch. Fidelity: " +
                                fidelity_of(section, profile) + ".",
                        .mark = ncu::RepMark::kNone}}};
}

}  // namespace

std::vector<RepSection> ncu_sections(const Profile& profile) {
  std::vector<RepSection> sections;
  uint32_t order = 0;
  for (const profile::Section& section : profile::sections()) {
    RepSection made = section_of(section, profile);
    made.order = order += kStep;
    const bool is_memory = made.id == kMemory;
    if (made.id == kSource) made.columns = ncu_source_columns();
    if (!made.lines.empty()) sections.push_back(std::move(made));
    if (is_memory) add_memory_parts(order, sections);
  }
  return sections;
}

std::vector<RepRule> ncu_rules(const Profile& profile) {
  std::vector<RepRule> rules;
  for (const profile::SectionRule& rule : finding_rules(profile)) rules.push_back(rule_of(rule));
  for (const RepSection& section : ncu_sections(profile)) {
    if (!section.lines.empty()) rules.push_back(notice_of(section, profile));
  }
  return rules;
}

}  // namespace warpledger::report
