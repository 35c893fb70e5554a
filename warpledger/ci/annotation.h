// ci/: findings and broken budgets for those who read pull requests: SARIF for GitHub and editors,
// code-quality JSON for GitLab, Markdown for a summary. JUnit's XML and GitHub's annotations of
// budgets stand in profile/limits/report.h.
//
//   annotation.h    one remark at one line, whatever it comes from
//   sarif.h         SARIF 2.1.0
//   code_quality.h  GitLab's code-quality report
//   summary.h       Markdown for a pull request
//
// The room knows formats and paths. It must not judge: findings come from profile/explain/, broken
// limits from profile/limits/.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/explain/brief.h"
#include "warpledger/profile/limits/report.h"

namespace warpledger::ci {

enum class Level : uint8_t { kNote, kWarning, kError };

struct Annotation {
  std::string rule = {};  // docs/rules/RULE.md
  Level level = Level::kWarning;
  std::string message = {};
  std::string path = {};  // from where the command was run, as far as that is known
  uint32_t line = 1;
  std::string subject = {};  // "transpose_tiled on NVIDIA A100": told apart by it in fingerprints
  double saving = 0;         // of the launch's time, 0..1; 0: not estimated
};

/// The findings and races of each launch; a finding of the whole kernel stands at its first line.
[[nodiscard]] std::vector<Annotation> annotations_of(const std::vector<profile::Profile>& profiles,
                                                     const profile::SourceText& sources);

/// Limits that are broken or unknown: at the line that contributes most, else at the limit.
[[nodiscard]] std::vector<Annotation> annotations_of(
    const std::vector<profile::budget::Checked>& all);

/// Names the annotation by its rule, file and subject, and so stays when lines move. Those that
/// share all three are numbered. Beside `all`.
[[nodiscard]] std::vector<std::string> fingerprints_of(const std::vector<Annotation>& all);

}  // namespace warpledger::ci
