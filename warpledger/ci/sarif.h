// SARIF 2.1.0 (OASIS): one run of one tool, a rule for each kind of remark with its page as help,
// a result for each remark at its line.
#pragma once

#include "warpledger/ci/annotation.h"

namespace warpledger::ci {

/// Ends with a newline. `version` is warpledger's.
[[nodiscard]] std::string to_sarif(const std::vector<Annotation>& all, const std::string& version);

/// A path as a URI reference: what RFC 3986 does not let stand in a path is percent-encoded.
[[nodiscard]] std::string uri_of(const std::string& path);

}  // namespace warpledger::ci
