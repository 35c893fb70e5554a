// The text layout of an ncu section: title, dashes, aligned columns, and below them its rules.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/table.h"

namespace warpledger {

/// What ncu prints of a rule below a section.
struct NcuRule {
  std::string mark = {};  // "OPT", "INF"
  std::string head = {};  // "Est. Speedup: 31.07%"; may be empty
  std::string text = {};
};

/// In ncu's layout, wrapped and padded as it does; "" without rules.
[[nodiscard]] std::string ncu_rules_text(const std::vector<NcuRule>& rules);

/// Ends with the closing rule and a newline.
[[nodiscard]] std::string ncu_section_text(const Table& section);

}  // namespace warpledger
