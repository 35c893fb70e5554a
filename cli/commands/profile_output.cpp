#include "cli/commands/profile_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/profile_pages.h"
#include "warpledger/base/file.h"
#include "warpledger/ci/summary.h"
#include "warpledger/profile/advice/overview.h"
#include "warpledger/profile/explain/brief_json.h"
#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/metrics/launch_summary.h"
#include "warpledger/render/ncu_section.h"
#include "warpledger/report/block_trace.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

Status print_profile(Session& session, const ProfileOutput& options, const Profile& profile) {
  WL_TRY(const Answer answer, answer_of(session, options, profile));
  OutputOptions how = options.output;
  if (options.csv) how.format = "csv";
  print(session, how, answer);
  return {};
}

/// Pages of details begin with an overview where there are several launches.
bool wants_overview(const ProfileOutput& options, const std::vector<Profile>& profiles) {
  return profiles.size() > 1 && options.metrics.empty() && options.explain.empty() &&
         options.page == "details" && options.all_sections && options.output.format == "text";
}

/// The tables of all launches, one after another; as JSON one array.
Result<Answer> answer_of_all(Session& session, const ProfileOutput& options,
                             const std::vector<Profile>& profiles) {
  Answer all{.report = {.command = "profile"}};
  if (options.explain.empty()) all.json = profile::to_json(profiles);
  if (wants_overview(options, profiles)) {
    all.report.tables.push_back(profile::overview(profiles));
    all.text = to_text(all.report.tables.front());
  }
  for (const Profile& profile : profiles) {
    WL_TRY(const Answer one, answer_of(session, options, profile));
    all.report.verdict.insert(all.report.verdict.end(), one.report.verdict.begin(),
                              one.report.verdict.end());
    all.report.tables.insert(all.report.tables.end(), one.report.tables.begin(),
                             one.report.tables.end());
    all.text += (all.text.empty() ? "" : "\n") + one.text;
  }
  return all;
}

Status print_array(Session& session, const ProfileOutput& options,
                   const std::vector<Profile>& profiles) {
  WL_TRY(const Answer all, answer_of_all(session, options, profiles));
  print(session, options.output, all);
  return {};
}

/// Each launch is printed by itself; an --export file holds them all.
Status print_each(Session& session, ProfileOutput options, const std::vector<Profile>& profiles) {
  if (profiles.size() > 1 && !options.output.exports.empty()) {
    WL_TRY(const Answer all, answer_of_all(session, options, profiles));
    WL_TRY_STATUS(write_exports(options.output, all));
    options.output.exports.clear();
  }
  if (wants_overview(options, profiles)) {
    session.out << to_text(profile::overview(profiles)) << "\n";
  }
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (i > 0) session.out << "\n";
    WL_TRY_STATUS(print_profile(session, options, profiles[i]));
  }
  return {};
}

std::string indented(const std::string& text, size_t by) {
  std::string made;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    made += (text[at] == '\n' ? "" : std::string(by, ' ')) + text.substr(at, end - at);
    at = end;
  }
  return made;
}

/// ncu's --print-summary: per kernel, or for the one GPU the same below its name.
void print_summary(Session& session, const ProfileOutput& options,
                   const std::vector<Profile>& profiles) {
  const bool per_gpu = options.summary == "per-gpu";
  bool is_first = true;
  for (const profile::KernelSummary& kernel :
       profile::summaries(profiles, chosen_sections(options), units_of(options))) {
    if (per_gpu && is_first) session.out << "  " << kernel.device << "\n";
    is_first = false;
    std::string text = fmt::format("  {}{}, Invocations {}\n", kernel.kernel,
                                   per_gpu ? "" : ", " + kernel.device, kernel.invocations);
    for (const Table& section : kernel.sections) text += ncu_section_text(section) + "\n";
    session.out << indented(text, per_gpu ? 2 : 0);
  }
}

/// For the HTML report; one that cannot be had is left out.
report::Codes machine_codes(Session& session, const ProfileOutput& options,
                            const std::vector<Profile>& profiles) {
  report::Codes codes;
  if (!options.html.is_wanted()) return codes;
  for (const Profile& profile : profiles) {
    Result<profile::MachineCode> code = find_machine_code(session, options.ncu, profile);
    codes.push_back(code ? std::optional(*std::move(code)) : std::nullopt);
  }
  return codes;
}

/// Of the only launch, a kernel's file's.
Status write_trace(Session& session, const ProfileOutput& options,
                   const std::vector<Profile>& profiles) {
  if (options.trace.empty() || profiles.size() != 1) return {};
  WL_TRY(const profile::MachineCode code,
         find_machine_code(session, options.ncu, profiles.front(), true));
  WL_TRY(const std::string trace, report::block_trace(profiles.front(), code));
  return write_file(options.trace, trace);
}

Status write_for_ci(const ProfileOutput& options, const std::vector<Profile>& profiles) {
  if (!options.ci.is_wanted()) return {};
  const report::Sources sources = find_sources(options.html, profiles);
  const profile::Briefs briefs = profile::briefs_of(profiles, sources, options.most_briefs);
  return write_ci(options.ci, ci::annotations_of(profiles, sources), ci::to_markdown(briefs));
}

/// The launch that both are about.
Result<profile::Difference> difference_to(const std::string& file,
                                          const std::vector<Profile>& profiles) {
  WL_TRY(std::string text, read_file(file));
  WL_TRY(const std::vector<Profile> before, profile::read_report(Source(file, std::move(text))));
  if (before.size() == 1 && profiles.size() == 1)
    return profile::difference_of(before[0], profiles[0]);
  return Diagnostic{
      .message = fmt::format("--against compares one launch with one launch, not {} with {}",
                             before.size(), profiles.size()),
      .hint = "use -k NAME -c 1 to choose one; `profile -k NAME -c 1 -o` saves one",
      .code = "usage"};
}

/// Of the launches that take longest.
Status print_briefs(Session& session, const ProfileOutput& options,
                    const std::vector<Profile>& profiles) {
  profile::Briefs briefs =
      profile::briefs_of(profiles, find_sources(options.html, profiles), options.most_briefs);
  if (!options.against.empty()) {
    WL_TRY(briefs.since, difference_to(options.against, profiles));
  }
  Answer answer{.report = {.command = "explain", .tables = {profile::table_of(briefs)}},
                .text = profile::to_text(briefs),
                .json = profile::to_json(briefs)};
  print(session, options.output, answer);
  return {};
}

}  // namespace

bool wants_machine_code(const ProfileOutput& options) {
  const bool in_sass = options.csv ? options.source_view.empty() || options.source_view == "sass"
                                   : options.source_view.ends_with("sass");
  return !options.ncu.file.empty() || options.html.is_wanted() ||
         (options.pages && options.page == "source" && in_sass);
}

Status print_profiles(Session& session, const ProfileOutput& options,
                      const std::vector<Profile>& profiles) {
  const bool json = options.output.json || options.output.format == "json";
  if (!options.report.empty()) {
    WL_TRY_STATUS(write_file(options.report, profile::to_report(profiles)));
  }
  WL_TRY_STATUS(write_ncu_report(session, options.ncu, options.html, profiles));
  WL_TRY_STATUS(write_report(options.html, profiles, machine_codes(session, options, profiles)));
  WL_TRY_STATUS(write_for_ci(options, profiles));
  WL_TRY_STATUS(write_trace(session, options, profiles));
  if (!options.pages) return {};
  if (options.brief) return print_briefs(session, options, profiles);
  if (options.csv && options.explain.empty() && options.page == "source")
    return print_source_csv(session, options, profiles);
  if (options.csv && options.explain.empty()) {
    print_csv(session, options, profiles);
    return {};
  }
  if (options.summary != "none" && !json) {
    print_summary(session, options, profiles);
    return {};
  }
  if (json && (options.is_list || profiles.size() != 1))
    return print_array(session, options, profiles);
  return print_each(session, options, profiles);
}

}  // namespace warpledger::cli
