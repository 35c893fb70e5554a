// What CI servers read, written beside the answer: --sarif, --codequality, --summary.
#pragma once

#include <string>

#include "cli/terminal/session.h"
#include "warpledger/base/result.h"
#include "warpledger/ci/annotation.h"

namespace warpledger::cli {

struct CiOptions {
  std::string sarif, code_quality, summary;  // files; "": not wanted
  [[nodiscard]] bool is_wanted() const {
    return !sarif.empty() || !code_quality.empty() || !summary.empty();
  }
};

void add_ci_options(Command& command, CiOptions& options);

/// Writes the files that were asked for.
[[nodiscard]] Status write_ci(const CiOptions& options, const std::vector<ci::Annotation>& all,
                              const std::string& summary);

}  // namespace warpledger::cli
