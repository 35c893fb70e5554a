#include "warpledger/report/finding_rules.h"

#include "warpledger/profile/advice/finding.h"

namespace warpledger::report {
namespace {

using profile::Finding;
using profile::Topic;

std::string section_of(const Finding& finding) {
  switch (finding.topic) {
    case Topic::kHostMemory:
    case Topic::kLsu:
    case Topic::kTags:
    case Topic::kL2:
    case Topic::kDram:
    case Topic::kAtomics:
      return "MemoryWorkloadAnalysis";
    case Topic::kIdleSms:
      return "LaunchStats";
    case Topic::kOther:
      return finding.where.line != 0 ? "SourceCounters" : "SpeedOfLight";
  }
  return "SpeedOfLight";
}

std::string text_of(const Finding& finding) {
  std::string text = finding.title;
  const auto add = [&](const std::string& words) {
    if (words.empty()) return;
    if (!text.ends_with('.')) text += '.';
    text += ' ' + words;
  };
  for (const std::string& reason : finding.because) add(reason);
  if (!finding.remedy.empty()) add("What helps: " + finding.remedy);
  add(finding.gain);
  return text;
}

}  // namespace

std::vector<profile::SectionRule> finding_rules(const profile::Profile& profile) {
  std::vector<profile::SectionRule> rules;
  for (const Finding& finding : profile::find(profile)) {
    rules.push_back({.section = section_of(finding),
                     .name = "warpledger_" + finding.code,
                     .title = finding.title,
                     .text = text_of(finding),
                     .is_local = !profile.timing});
    if (!finding.gain.empty()) rules.back().speedup = 100 * finding.saving;
  }
  return rules;
}

}  // namespace warpledger::report
