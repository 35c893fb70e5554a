#include "warpledger/profile/explain/brief_lines.h"

#include <fmt/format.h>

#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::profile {
namespace {

constexpr size_t kKindWidth = 8;  // "change 1"

std::string launch_text(const Brief& brief) {
  const std::string times = brief.launches == 1 ? "" : fmt::format(", {} launches", brief.launches);
  const std::string time = brief.nanoseconds > 0 ? time_in_words(brief.nanoseconds) + " (modeled)"
                                                 : std::string("time not modeled");
  return fmt::format("{} on {}: {}, {}{}", brief.kernel, brief.gpu, brief.shape, time, times);
}

std::string limit_text(const BriefLimit& limit) {
  if (limit.unit.empty()) return "nothing: the launch does no work";
  if (limit.unit != limit.busiest)
    return fmt::format("{}: the busiest unit, {}, is busy {:.0f} % of the launch (modeled)",
                       limit.unit, limit.busiest, 100 * limit.busy);
  if (limit.busy == 0) return fmt::format("{}: the unit with the most work (modeled)", limit.unit);
  return fmt::format("{}: busy for {:.0f} % of the launch (modeled)", limit.unit, 100 * limit.busy);
}

/// Where it is, unless the words say so.
std::string why_text(const BriefFinding& finding) {
  const std::string line = to_text(finding.where);
  const bool named = line.empty() || finding.why.find(line) != std::string::npos;
  return named ? finding.why : fmt::format("{}: {}", line, finding.why);
}

std::string counts_text(const Certainty& certainty) {
  return fmt::format("counts {}{}", to_text(certainty.counts),
                     certainty.is_sampled ? " from a sample of the blocks" : "");
}

/// What the published reports say of its time.
std::string error_text(const Certainty& certainty) {
  if (certainty.kind != nullptr) return to_text(*certainty.kind);
  return fmt::format(
      "launches of all kinds: median error {:.1f} % of {} published reports, 90th percentile "
      "{:.1f} %",
      100 * certainty.median_error, certainty.reports, 100 * certainty.high_error);
}

std::string sure_text(const Brief& brief) {
  const std::string counts = counts_text(brief.certainty);
  if (brief.nanoseconds == 0) return counts + "; time not modeled";
  return fmt::format("{}; time modeled; {}", counts, error_text(brief.certainty));
}

std::string measure_text(const Brief& brief) {
  if (!brief.certainty.measure.empty())
    return fmt::format("this one: {}", fmt::join(brief.certainty.measure, "; "));
  const bool is_estimated = !brief.findings.empty() && brief.findings.front().saving > 0;
  return is_estimated ? "no need: change 1 gives more than the expected error"
                      : "no need: no estimate depends on it";
}

}  // namespace

std::string gain_of(const Brief& brief, const BriefFinding& finding) {
  if (finding.saving == 0) return "not estimated";
  const std::string basis = finding.basis == Basis::kResimulated
                                ? "simulated again without these waits"
                                : "counted again without this waste";
  if (brief.nanoseconds == 0) {
    return fmt::format("up to {:.0f} % less work for the busiest unit ({}; modeled)",
                       100 * finding.saving, basis);
  }
  return fmt::format("up to {:.0f} % less time, {} -> {} ({}; modeled)", 100 * finding.saving,
                     time_in_words(brief.nanoseconds),
                     time_in_words(brief.nanoseconds * (1 - finding.saving)), basis);
}

std::vector<BriefLine> lines_of(const Brief& brief) {
  std::vector<BriefLine> lines = {{"launch", 0, rule::kLaunch, launch_text(brief)}};
  if (!brief.race.empty()) lines.push_back({"race", 0, rule::kRace, brief.race});
  lines.push_back({"limit", 0, brief.limit.rule, limit_text(brief.limit)});
  for (size_t i = 0; i < brief.findings.size(); ++i) {
    const BriefFinding& finding = brief.findings[i];
    lines.push_back({"why", i + 1, finding.rule, why_text(finding)});
    lines.push_back({"change", i + 1, finding.rule, finding.change.text});
    lines.push_back({"gives", i + 1, finding.rule, gain_of(brief, finding)});
  }
  if (brief.findings.empty())
    lines.push_back({"why", 0, rule::kNothingFound, "nothing stands out: no access wastes much"});
  lines.push_back({"sure", 0, rule::kExpectedError, sure_text(brief)});
  lines.push_back({"measure", 0, rule::kExpectedError, measure_text(brief)});
  WL_CHECK(lines.size() <= kMostLines);
  return lines;
}

std::string to_text(const std::vector<BriefLine>& lines) {
  std::string text;
  for (const BriefLine& line : lines) {
    const std::string head =
        line.finding == 0 ? line.kind : fmt::format("{} {}", line.kind, line.finding);
    text += fmt::format("{:<{}} [{}] {}\n", head, kKindWidth, line.rule, line.text);
  }
  return text;
}

std::string to_text(const Briefs& briefs) {
  std::string text = briefs.since ? to_text(lines_of(*briefs.since)) : "";
  for (const Brief& brief : briefs.shown)
    text += (text.empty() ? "" : "\n") + to_text(lines_of(brief));
  if (briefs.left_out > 0) {
    text += fmt::format("\n{} more that {} less time: --top N, -k NAME\n",
                        counted(static_cast<int64_t>(briefs.left_out), "launch profile"),
                        briefs.left_out == 1 ? "takes" : "take");
  }
  return text;
}

Table table_of(const Briefs& briefs) {
  Table table{.columns = {{"Kernel", "kernel"},
                          {"", "kind"},
                          {"Finding", "finding", Align::kRight},
                          {"Rule", "rule"},
                          {"What", "text"}}};
  for (const Brief& brief : briefs.shown) {
    for (const BriefLine& line : lines_of(brief)) {
      const Cell number =
          line.finding == 0 ? Cell("") : Cell(static_cast<int64_t>(line.finding), Fidelity::kExact);
      table.rows.push_back({{brief.kernel, line.kind, number, line.rule, line.text}});
    }
  }
  return table;
}

}  // namespace warpledger::profile
