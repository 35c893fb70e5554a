// GitLab's code-quality report: an array of remarks, in the part of Code Climate's format that
// GitLab reads.
#pragma once

#include "warpledger/ci/annotation.h"

namespace warpledger::ci {

/// Ends with a newline.
[[nodiscard]] std::string to_code_quality(const std::vector<Annotation>& all);

}  // namespace warpledger::ci
