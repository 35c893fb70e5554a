#include "cli/profile_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "warpledger/base/file.h"
#include "warpledger/profile/explain.h"
#include "warpledger/profile/json.h"
#include "warpledger/profile/page.h"
#include "warpledger/profile/races.h"
#include "warpledger/profile/report_file.h"
#include "warpledger/profile/source_page.h"
#include "warpledger/profile/summary.h"
#include "warpledger/render/ncu_section.h"

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
    table.notes.push_back(
        fmt::format("the text of {} was not found: --source-folder DIR", fmt::join(missing, ", ")));
  }
  return table;
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

/// What was launched, and how many launches of the program it stands for.
std::vector<std::string> lines_of(const Profile& profile) {
  std::vector<std::string> lines = profile::headline(profile);
  if (profile.launches.is_many()) lines.push_back(profile::to_text(profile.launches));
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
    ++counts[value.is_known() ? std::string(to_text(value.fidelity)) : "not modelled yet (n/a)"];
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("fidelity: {}; --json says which", fmt::join(parts, ", "));
}

void print_csv(Session& session, const ProfileOutput& options, const Profile& profile,
               const std::vector<std::string>& names, profile::Units units) {
  const bool raw = options.page == "raw";
  if (options.metrics.empty() && !raw) {
    session.out << profile::details_csv(profile, units, options.sections.sections);
    return;
  }
  session.out << (raw ? profile::raw_csv(profile, names, units)
                      : profile::metrics_csv(profile, names, units));
  if (session.quiet) return;
  session.err << (options.metrics.empty() ? counted_fidelity(profile, names)
                                          : profile::fidelity_line(profile, names))
              << "\n";
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

Result<Answer> answer_of(const ProfileOutput& options, const Profile& profile,
                         const std::vector<std::string>& names, profile::Units units) {
  if (!options.explain.empty()) return explanation_of(options.explain, profile);
  Answer answer{.report = {.command = "profile"}, .json = profile::to_json(profile)};
  Report& report = answer.report;
  if (!options.metrics.empty() || options.page == "raw") {
    WL_TRY(Table table, profile::metric_table(profile, names, units));
    report.tables = {std::move(table)};
    answer.text = page_text(profile, report.tables);
  } else if (options.page == "source") {
    report.tables = {source_lines(options.html, profile), profile::instruction_table(profile)};
    answer.text = page_text(profile, report.tables);
  } else if (!options.all_sections) {
    report.tables = details(profile, options.sections, units);
    answer.text = page_text(profile, report.tables);
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

Status print_profile(Session& session, const ProfileOutput& options, const Profile& profile) {
  // Scripts read the raw page: base units and all digits, unless asked otherwise.
  const bool base = options.units.empty() ? options.page == "raw" : options.units == "base";
  const auto units = base ? profile::Units::kBase : profile::Units::kAuto;
  const std::vector<std::string> names =
      options.metrics.empty() ? profile::standard_metrics() : options.metrics;
  if (options.csv && options.explain.empty()) {
    print_csv(session, options, profile, names, units);
    return {};
  }
  WL_TRY(const Answer answer, answer_of(options, profile, names, units));
  OutputOptions how = options.output;
  if (options.csv) how.format = "csv";
  print(session, how, answer);
  return {};
}

namespace {

/// What print_profile() would print, as text.
Result<std::string> printed(Session& session, const ProfileOutput& options,
                            const Profile& profile) {
  std::ostringstream text;
  Session inner{.out = text, .err = session.err, .colour = session.colour, .quiet = session.quiet};
  WL_TRY_STATUS(print_profile(inner, options, profile));
  session.exit_code = std::max(session.exit_code, inner.exit_code);
  return text.str();
}

/// How a launch's rows of ncu's CSV are changed where there are several.
struct CsvRows {
  uint64_t id = 0;             // of the launch
  bool header = false;         // stands once
  bool with_launches = false;  // a last column: how many launches the rows stand for
  uint64_t launches = 1;
};

/// Rows begin with "0", the launch's number; the other lines are headers.
std::string changed_csv(const std::string& csv, const CsvRows& how) {
  const std::string first = "\"0\",", mine = fmt::format("\"{}\",", how.id);
  std::string out;
  for (size_t at = 0; at < csv.size();) {
    const size_t end = std::min(csv.find('\n', at), csv.size());
    const bool is_row = csv.compare(at, first.size(), first) == 0;
    const size_t begin = is_row ? at + first.size() : at;
    const std::string last = is_row    ? fmt::format("{}", how.launches)
                             : at == 0 ? "Launches"
                                       : "";  // the raw page's line of units
    if (is_row || how.header) {
      out += (is_row ? mine : "") + csv.substr(begin, end - begin);
      out += how.with_launches ? fmt::format(",\"{}\"\n", last) : "\n";
    }
    at = end + 1;
  }
  return out;
}

/// ncu's ID; a profile that is not of a program has its place.
uint64_t id_of(const Profile& profile, size_t place) {
  return profile.launches.ranges.empty() ? place : profile.launches.ranges.front().first;
}

Status print_csvs(Session& session, const ProfileOutput& options,
                  const std::vector<Profile>& profiles) {
  const bool many = std::any_of(profiles.begin(), profiles.end(),
                                [](const Profile& one) { return one.launches.is_many(); });
  for (size_t i = 0; i < profiles.size(); ++i) {
    WL_TRY(const std::string text, printed(session, options, profiles[i]));
    const uint64_t launches = std::max<uint64_t>(1, profiles[i].launches.count);
    session.out << changed_csv(text, {id_of(profiles[i], i), i == 0, many, launches});
  }
  return {};
}

}  // namespace

Status print_profiles(Session& session, const ProfileOutput& options,
                      const std::vector<Profile>& profiles) {
  const bool json = options.output.json || options.output.format == "json";
  if (!options.report.empty()) {
    WL_TRY_STATUS(write_file(options.report, profile::to_report(profiles)));
  }
  WL_TRY_STATUS(write_report(options.html, profiles));
  if (options.csv && options.explain.empty()) return print_csvs(session, options, profiles);
  if (profiles.size() == 1) return print_profile(session, options, profiles[0]);
  if (json) session.out << "[\n";
  for (size_t i = 0; i < profiles.size(); ++i) {
    WL_TRY(const std::string text, printed(session, options, profiles[i]));
    session.out << text << (i + 1 == profiles.size() ? "" : json ? ",\n" : "\n");
  }
  if (json) session.out << "]\n";
  return {};
}

}  // namespace warpledger::cli
