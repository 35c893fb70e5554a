#include "cli/options/ci_options.h"

#include "warpledger/base/file.h"
#include "warpledger/ci/code_quality.h"
#include "warpledger/ci/sarif.h"

namespace warpledger::cli {
namespace {

constexpr const char* kGroup = "For CI";

}  // namespace

void add_ci_options(Command& command, CiOptions& options) {
  command
      .add_option("--sarif", options.sarif,
                  "also write SARIF 2.1.0: findings at their lines, for GitHub and editors")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--codequality", options.code_quality, "also write GitLab's code-quality JSON")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--summary", options.summary,
                  "also write a Markdown summary for a pull request or $GITHUB_STEP_SUMMARY")
      ->type_name("FILE")
      ->group(kGroup);
}

Status write_ci(const CiOptions& options, const std::vector<ci::Annotation>& all,
                const std::string& summary) {
  if (!options.sarif.empty())
    WL_TRY_STATUS(write_file(options.sarif, ci::to_sarif(all, WL_VERSION)));
  if (!options.code_quality.empty())
    WL_TRY_STATUS(write_file(options.code_quality, ci::to_code_quality(all)));
  if (!options.summary.empty()) WL_TRY_STATUS(write_file(options.summary, summary));
  return {};
}

}  // namespace warpledger::cli
