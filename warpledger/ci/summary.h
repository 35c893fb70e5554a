// Markdown for a pull request's comment or a job's summary: a table of launches with their limit
// and the first change, or of limits that are broken; then the details, folded.
#pragma once

#include "warpledger/ci/annotation.h"

namespace warpledger::ci {

[[nodiscard]] std::string to_markdown(const profile::Briefs& briefs);
[[nodiscard]] std::string to_markdown(const std::vector<profile::budget::Checked>& all);

}  // namespace warpledger::ci
