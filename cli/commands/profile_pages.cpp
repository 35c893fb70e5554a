#include "cli/commands/profile_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/metrics/explain.h"
#include "warpledger/profile/metrics/hot_lines.h"
#include "warpledger/profile/metrics/launch_summary.h"
#include "warpledger/profile/metrics/page.h"
#include "warpledger/profile/metrics/sass_page.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/profile/run/races.h"
#include "warpledger/render/ncu_section.h"
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

}  // namespace

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

namespace {

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

}  // namespace

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

}  // namespace warpledger::cli
