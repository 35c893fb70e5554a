#include "cli/commands/profile_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "warpledger/base/file.h"
#include "warpledger/ci/summary.h"
#include "warpledger/profile/advice/overview.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/explain/brief_json.h"
#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/metrics/explain.h"
#include "warpledger/profile/metrics/hot_lines.h"
#include "warpledger/profile/metrics/launch_summary.h"
#include "warpledger/profile/metrics/page.h"
#include "warpledger/profile/metrics/sass_page.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/profile/run/races.h"
#include "warpledger/render/ncu_section.h"
#include "warpledger/report/block_trace.h"
#include "warpledger/report/finding_rules.h"
#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

std::vector<Table> details(const Profile& profile, const profile::SectionChoice& choice,
                           profile::Units units) {
  std::vector<Table> tables;
  bool want_tables = choice.memory_tables;
  const auto add_tables = [&] {
    if (!std::exchange(want_tables, false)) return;
    for (const profile::MemoryTable& table : profile::memory_tables()) {
      tables.push_back(profile::table_of(table, profile, units));
    }
  };
  for (const profile::Section& section : choice.sections) {
    tables.push_back(profile::table_of(section, profile, units));
    if (section.title == "Memory Workload Analysis") add_tables();
    if (section.title != "Source Counters") continue;
    for (Table& table : profile::hot_lines(profile)) tables.push_back(std::move(table));
  }
  add_tables();
  return tables;
}

/// Every line of the source files that are found.
std::map<profile::SourceLine, std::string> source_text(const ReportOptions& options,
                                                       const Profile& profile) {
  std::map<profile::SourceLine, std::string> lines;
  for (const auto& [file, text] : find_sources(options, {profile})) {
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t begin = std::min(text[i].find_first_not_of(" \t"), text[i].size());
      lines[{file, static_cast<uint32_t>(i + 1)}] = text[i].substr(begin);
    }
  }
  return lines;
}

/// Per source line, and which files' text is missing.
Table source_lines(const ReportOptions& options, const Profile& profile) {
  const auto text = source_text(options, profile);
  Table table = profile::line_table(profile, text);
  std::set<std::string> missing;
  for (const profile::CodeLine& code : profile.code) {
    const bool ran = code.executions > 0 && code.source.line != 0;
    if (ran && !text.contains(code.source)) missing.insert(code.source.file);
  }
  if (!missing.empty()) {
    table.notes.push_back(fmt::format("source file {} not found: pass --source-folder DIR",
                                      fmt::join(missing, ", ")));
  }
  return table;
}

/// The tables of the view that was asked for; without machine code it says why there is no SASS.
Result<std::vector<Table>> source_tables(Session& session, const ProfileOutput& options,
                                         const Profile& profile) {
  const std::string& view = options.source_view;
  if (view == "cuda") return std::vector<Table>{source_lines(options.html, profile)};
  if (view == "ptx") return std::vector<Table>{profile::instruction_table(profile)};
  if (view.empty())
    return std::vector<Table>{source_lines(options.html, profile),
                              profile::instruction_table(profile)};
  Result<profile::MachineCode> code = find_machine_code(session, options.ncu, profile);
  if (!code) {
    Diagnostic why = code.error();
    why.message =
        fmt::format("no SASS of '{}': {}", profile::short_name(profile.kernel), why.message);
    if (why.hint.empty()) why.hint = "--print-source ptx shows its PTX";
    return why;
  }
  std::vector<Table> tables;
  tables.push_back(view == "sass" ? profile::sass_table(profile, *code)
                                  : profile::lines_with_sass(profile, *code,
                                                             source_text(options.html, profile)));
  Table stalls = profile::stall_table(*code);
  if (!stalls.rows.empty()) tables.push_back(std::move(stalls));
  tables.push_back(profile::opcode_table(profile, *code));
  return tables;
}

/// Sections in ncu's layout, other tables as ours.
std::string page_text(const Profile& profile, const std::vector<Table>& tables) {
  std::string text = "  " + profile::heading(profile) + "\n";
  for (const Table& table : tables) {
    const bool section = table.columns.front().name == "Metric Name";
    text += (section ? ncu_section_text(table) : to_text(table)) + "\n";
  }
  return text;
}

/// The rules of a section, by its title, as ncu prints them.
std::map<std::string, std::vector<NcuRule>> rules_by_section(const Profile& profile) {
  std::map<std::string, std::string> titles;
  for (const profile::Section& section : profile::sections())
    titles[profile::section_id(section)] = section.title;
  std::map<std::string, std::vector<NcuRule>> rules;
  for (const profile::SectionRule& rule : report::finding_rules(profile)) {
    NcuRule made{.mark = rule.speedup ? "OPT" : "INF", .text = rule.text};
    if (rule.speedup)
      made.head = fmt::format("Est. {}Speedup: {}%", rule.is_local ? "Local " : "",
                              profile::speedup_text(*rule.speedup));
    rules[titles[rule.section]].push_back(std::move(made));
  }
  return rules;
}

/// As page_text(), with what rules say below each section: where no first screen says it.
std::string page_with_rules(const Profile& profile, const std::vector<Table>& tables) {
  std::map<std::string, std::vector<NcuRule>> rules = rules_by_section(profile);
  std::string text = "  " + profile::heading(profile) + "\n";
  for (const Table& table : tables) {
    const bool section = table.columns.front().name == "Metric Name";
    text += (section ? ncu_section_text(table) : to_text(table)) + "\n";
    const std::string said = section ? ncu_rules_text(rules[table.title]) : "";
    if (!said.empty()) text += said + "\n";
  }
  return text;
}

/// What was launched, and how many launches of the program it represents.
std::vector<std::string> lines_of(const Profile& profile) {
  std::vector<std::string> lines = profile::headline(profile);
  const std::string launches = profile::to_text(profile.launches);
  if (!launches.empty()) lines.push_back(launches);
  return lines;
}

std::string first_screen(const Profile& profile, const std::vector<profile::Finding>& findings) {
  std::string text;
  for (const std::string& line : lines_of(profile)) text += line + "\n";
  text += "\n" + to_text(profile::journey(profile));
  text += "\n" + to_text(profile::busiest_units(profile));
  const std::string races = profile::to_text(profile.races);
  if (!races.empty()) text += "\n" + races;
  return text + "\n" + profile::to_text(findings);
}

/// How many metrics have which fidelity: ncu's columns have no room to say it of each.
std::string counted_fidelity(const Profile& profile, const std::vector<std::string>& names) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) {
    const profile::Value value = profile::answer(name, profile).value;
    ++counts[value.is_known() ? std::string(to_text(value.fidelity)) : "not modeled yet (n/a)"];
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("fidelity: {}; --json says which", fmt::join(parts, ", "));
}

/// Those of --metrics and of the sections of --section, each once; without either all.
std::vector<std::string> metrics_of(const ProfileOutput& options) {
  std::vector<std::string> names = options.metrics;
  const bool all = options.sections.sections.size() == profile::sections().size();
  if (all && (!options.all_sections || names.empty())) {
    const std::vector<std::string> standard = profile::standard_metrics();
    names.insert(names.begin(), standard.begin(), standard.end());
  } else if (!options.all_sections) {
    for (const profile::Section& section : options.sections.sections) {
      for (const profile::Entry& entry : section.entries) names.push_back(entry.metric);
    }
  }
  std::set<std::string> seen;
  std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
  return names;
}

constexpr const char* kAskedTitle = "Command line profiler metrics";

/// The sections of --section, and as one more the metrics of --metrics; by default all sections.
std::vector<profile::Section> chosen_sections(const ProfileOutput& options) {
  std::vector<profile::Section> chosen = options.sections.sections;
  if (options.metrics.empty()) return chosen;
  if (options.all_sections) chosen.clear();
  profile::Section asked{kAskedTitle, {}};
  for (const std::string& name : options.metrics) asked.entries.push_back({name, name});
  chosen.push_back(std::move(asked));
  return chosen;
}

profile::Units units_of(const ProfileOutput& options) {
  // Scripts read the raw page: base units and all digits, unless asked otherwise.
  const bool base = options.units.empty() ? options.page == "raw" : options.units == "base";
  return base ? profile::Units::kBase : profile::Units::kAuto;
}

/// ncu's source page: SASS where there is machine code and no other view was asked for.
Status print_source_csv(Session& session, const ProfileOutput& options,
                        const std::vector<Profile>& profiles) {
  const bool wants_sass = options.source_view.empty() || options.source_view == "sass";
  for (const Profile& profile : profiles) {
    Result<profile::MachineCode> code = Diagnostic{};
    if (wants_sass) code = find_machine_code(session, options.ncu, profile);
    if (code) {
      session.out << report::ncu_source_csv(profile, *code);
      continue;
    }
    if (wants_sass && !session.quiet)
      session.err << fmt::format("no SASS of '{}', its PTX is shown: {}\n",
                                 profile::short_name(profile.kernel), code.error().message);
    ProfileOutput shown = options;
    if (wants_sass) shown.source_view = "ptx";
    WL_TRY(const std::vector<Table> tables, source_tables(session, shown, profile));
    session.out << to_csv(tables.front());
  }
  return {};
}

void print_csv(Session& session, const ProfileOutput& options,
               const std::vector<Profile>& profiles) {
  const bool raw = options.page == "raw";
  const profile::Units units = units_of(options);
  if (options.summary != "none") {
    session.out << profile::summary_csv(profiles, chosen_sections(options), units);
    return;
  }
  if (!raw && (options.metrics.empty() || !options.all_sections)) {
    session.out << profile::details_csv(profiles, units, chosen_sections(options),
                                        report::finding_rules);
    return;
  }
  const std::vector<std::string> names = metrics_of(options);
  session.out << (raw ? profile::raw_csv(profiles, names, units)
                      : profile::metrics_csv(profiles, names, units));
  if (session.quiet) return;
  for (const Profile& profile : profiles) {
    session.err << (options.metrics.empty() ? counted_fidelity(profile, names)
                                            : profile::fidelity_line(profile, names))
                << "\n";
  }
}

/// Each metric's lines and tables; as JSON one table of all, then the tables of each.
Result<Answer> explanation_of(const std::vector<std::string>& metrics, const Profile& profile) {
  Answer answer{.report = {.command = "profile --explain"}};
  std::vector<profile::Explanation> explanations;
  for (const std::string& metric : metrics) {
    WL_TRY(profile::Explanation made, profile::explain(profile, metric));
    explanations.push_back(std::move(made));
  }
  answer.report.tables = {profile::summary_table(explanations)};
  for (const profile::Explanation& one : explanations) {
    Report alone{.verdict = profile::lines_of(one), .tables = profile::tables_of(one, profile)};
    answer.text += (answer.text.empty() ? "" : "\n") + render(alone, Format::kText);
    for (Table& table : alone.tables) {
      table.title = fmt::format("{}: {}", one.metric, table.title);
      answer.report.tables.push_back(std::move(table));
    }
  }
  return answer;
}

Result<Answer> answer_of(Session& session, const ProfileOutput& options, const Profile& profile) {
  const std::vector<std::string> names = metrics_of(options);
  const profile::Units units = units_of(options);
  if (!options.explain.empty()) return explanation_of(options.explain, profile);
  Answer answer{.report = {.command = "profile"}, .json = profile::to_json(profile)};
  Report& report = answer.report;
  const bool metrics_only = !options.metrics.empty() && options.all_sections;
  if (options.page == "raw" || (metrics_only && options.page == "details")) {
    WL_TRY(Table table, profile::metric_table(profile, names, units));
    report.tables = {std::move(table)};
    answer.text = page_text(profile, report.tables);
  } else if (options.page == "source") {
    WL_TRY(report.tables, source_tables(session, options, profile));
    answer.text = page_text(profile, report.tables);
  } else if (!options.all_sections) {
    report.tables = details(profile, options.sections, units);
    if (!options.metrics.empty()) {
      WL_TRY(Table table, profile::metric_table(profile, options.metrics, units));
      report.tables.push_back(std::move(table));
    }
    answer.text = page_with_rules(profile, report.tables);
  } else {
    const std::vector<profile::Finding> findings = profile::find(profile);
    report.verdict = lines_of(profile);
    report.tables = {profile::journey(profile), profile::busiest_units(profile),
                     profile::table_of(findings)};
    if (!profile.races.found.empty()) report.tables.push_back(profile::table_of(profile.races));
    const std::vector<Table> sections = details(profile, options.sections, units);
    report.tables.insert(report.tables.end(), sections.begin(), sections.end());
    answer.text = first_screen(profile, findings) + "\n" + page_text(profile, sections);
  }
  return answer;
}

}  // namespace

namespace {

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
