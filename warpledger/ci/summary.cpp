#include "warpledger/ci/summary.h"

#include <fmt/core.h>

#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/render/escape.h"
#include "warpledger/render/table.h"

namespace warpledger::ci {
namespace {

using profile::Brief;
using profile::BriefFinding;

/// Pre: `title` is safe in HTML.
std::string folded(const std::string& title, const std::string& text) {
  return fmt::format("\n<details><summary>{}</summary>\n\n```\n{}```\n\n</details>\n", title, text);
}

Cell time_cell(double nanoseconds) {
  if (nanoseconds == 0) return "-";
  return {profile::time_in_words(nanoseconds), nanoseconds, Fidelity::kModeled};
}

Row row_of(const Brief& brief) {
  Row row{{brief.kernel, brief.gpu, time_cell(brief.nanoseconds), brief.limit.unit}};
  if (brief.findings.empty()) {
    row.cells.insert(row.cells.end(), {"nothing stands out", "", ""});
  } else {
    const BriefFinding& first = brief.findings.front();
    const std::string line = to_text(first.where);
    row.cells.insert(row.cells.end(),
                     {fmt::format("{}{}{}", first.rule, line.empty() ? "" : " at ", line),
                      first.saving == 0 ? "-" : fmt::format("up to {:.0f} %", 100 * first.saving),
                      brief.certainty.measure.empty() ? "" : "measure"});
  }
  if (!brief.race.empty()) row.cells[3] = row.cells[3].text + ", **race**";
  return row;
}

}  // namespace

std::string to_markdown(const profile::Briefs& briefs) {
  Table table{.columns = {{"Kernel", "kernel"},
                          {"GPU", "gpu"},
                          {"Time", "nanoseconds", Align::kRight},
                          {"Limit", "limit"},
                          {"First finding", "finding"},
                          {"Would save", "saving", Align::kRight},
                          {"", "measure"}}};
  for (const Brief& brief : briefs.shown) table.rows.push_back(row_of(brief));
  std::string text = "### warpledger: what limits these kernels\n\n" + to_markdown(table);
  for (const Brief& brief : briefs.shown)
    text += folded(html_escaped(brief.kernel), profile::to_text(profile::lines_of(brief)));
  if (briefs.left_out > 0) text += fmt::format("\n{} more not shown.\n", briefs.left_out);
  return text;
}

std::string to_markdown(const std::vector<profile::budget::Checked>& all) {
  const std::string details = profile::budget::breaches(all);
  return fmt::format("### warpledger: {}\n\n{}{}", profile::budget::headline(all),
                     to_markdown(profile::budget::table_of(all)),
                     details.empty() ? "" : folded("Broken limit", details));
}

}  // namespace warpledger::ci
