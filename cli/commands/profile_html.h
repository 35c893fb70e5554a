// The HTML report of profiles and its charts as files: `profile -o FILE.html --charts DIR`, and
// `report A.wlrep B.json -o FILE.html`.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/session.h"
#include "warpledger/base/result.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/report/report.h"

namespace warpledger::cli {

struct ReportOptions {
  std::string file;                  // one HTML file that a browser opens
  std::string model;                 // the same as JSON, raw values
  std::string charts;                // a folder: every figure as SVG, PNG and CSV
  std::vector<std::string> folders;  // where source files are looked for
  [[nodiscard]] bool is_wanted() const {
    return !file.empty() || !model.empty() || !charts.empty();
  }
};

/// Those that `profile` and `report` share: all but the file.
void add_report_options(Command& command, ReportOptions& options);

/// The text of the launches' source files: in the folders that the user named, beside the profiled
/// file, where the compiler found it.
[[nodiscard]] report::Sources find_sources(const ReportOptions& options,
                                           const std::vector<profile::Profile>& launches);

/// Writes what was asked for; nothing is printed.
[[nodiscard]] Status write_report(const ReportOptions& options,
                                  const std::vector<profile::Profile>& launches,
                                  const report::Codes& codes = {});

}  // namespace warpledger::cli
