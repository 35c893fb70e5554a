// A brief as lines, each with the rule whose page says more: at most kMostLines, in a wording that
// scripts and prompts may rely on.
#pragma once

#include "warpledger/profile/explain/brief.h"

namespace warpledger::profile {

inline constexpr size_t kMostLines = 15;

struct BriefLine {
  // launch, race, limit, why, change, gives, sure, measure; of a difference: since, units,
  // findings, sure
  std::string kind = {};
  size_t finding = 0;  // from 1; 0: of the whole launch
  std::string rule = {};
  std::string text = {};
};

[[nodiscard]] std::vector<BriefLine> lines_of(const Brief& brief);

/// At most five.
[[nodiscard]] std::vector<BriefLine> lines_of(const Difference& difference);

/// "limit     [dram-bound] DRAM is busy for 92 % of the launch (modeled)", a line each.
[[nodiscard]] std::string to_text(const std::vector<BriefLine>& lines);

/// What changed, each launch's lines, with an empty line between; then how many were left out, if
/// any.
[[nodiscard]] std::string to_text(const Briefs& briefs);
/// A row for each line.
[[nodiscard]] Table table_of(const Briefs& briefs);

/// "up to 43 % less time, 6.81 us -> 3.88 us (counted again without this waste; modeled)".
[[nodiscard]] std::string gain_of(const Brief& brief, const BriefFinding& finding);

}  // namespace warpledger::profile
