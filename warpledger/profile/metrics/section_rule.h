// What a rule says of a launch, as ncu prints it below a section and in its CSV.
#pragma once

#include <optional>
#include <string>

namespace warpledger::profile {

struct SectionRule {
  std::string section = {};            // its identifier, "SourceCounters"
  std::string name = {};               // "warpledger_uncoalesced"
  std::string title = {};              // one sentence
  std::string text = {};               // with its causes and the remedy
  std::optional<double> speedup = {};  // ncu's Est. Speedup: percent of the launch's time
  bool is_local = false;  // of the busiest unit's time, where there is no model of time
};

}  // namespace warpledger::profile
