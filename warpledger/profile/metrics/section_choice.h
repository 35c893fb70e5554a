// ncu's --section: its identifiers, and which sections of the details page they mean.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {

/// "SpeedOfLight" of "GPU Speed Of Light Throughput"; "" for a section that ncu does not have.
[[nodiscard]] std::string section_id(const Section& section);

/// What stands on the details page.
struct SectionChoice {
  std::vector<Section> sections = {};
  bool memory_tables = false;  // MemoryWorkloadAnalysis_Tables
};

/// `names` are identifiers, titles, or regex:EXPRESSION for identifiers; none: everything. Fails on
/// a name that no section has, with those there are.
[[nodiscard]] Result<SectionChoice> choose_sections(const std::vector<std::string>& names);

}  // namespace warpledger::profile
