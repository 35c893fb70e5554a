// `warpledger doctor`: what was found on this machine, what each part adds, and the one command
// that installs what is missing.
#include "cli/commands/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/parts.h"
#include "cli/terminal/output.h"
#include "cli/terminal/version.h"

namespace warpledger::cli {
namespace {

struct DoctorOptions {
  std::vector<std::string> needed;
  OutputOptions output;
};

const char* word_of(PartState state) {
  switch (state) {
    case PartState::kFound:
      return "found";
    case PartState::kMissing:
      return "missing";
    case PartState::kBroken:
      return "broken";
  }
  return "";
}

bool is_missing(const Part& part) { return part.state == PartState::kMissing; }
bool is_broken(const Part& part) { return part.state == PartState::kBroken; }

/// All of them, or those that the command line names.
std::vector<Part> chosen_parts(const DoctorOptions& options) {
  std::vector<Part> parts = find_parts();
  if (options.needed.empty()) return parts;
  std::erase_if(parts, [&](const Part& part) {
    return std::find(options.needed.begin(), options.needed.end(), part.name) ==
           options.needed.end();
  });
  return parts;
}

Cell optional_text(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Table table_of(const std::vector<Part>& parts) {
  Table table{.columns = {{"Part", "part"},
                          {"State", "state"},
                          {"Version", "version"},
                          {"What it adds", "adds"},
                          {"Where", "where"},
                          {"How to get it", "get"},
                          {"What is wrong", "fault"}}};
  for (const Part& part : parts) {
    table.rows.push_back({{part.name, word_of(part.state), optional_text(part.version), part.adds,
                           optional_text(part.where), part.get, optional_text(part.fault)}});
  }
  return table;
}

/// For people: where a part is, or how to get it.
Table short_table_of(const std::vector<Part>& parts) {
  Table table{.columns = {{"Part", "part"},
                          {"State", "state"},
                          {"Version", "version"},
                          {"What it adds", "adds"},
                          {"Where it is, or how to get it", "where"}}};
  for (const Part& part : parts) {
    table.rows.push_back({{part.name, word_of(part.state), part.version, part.adds,
                           is_missing(part) ? part.get : part.where}});
  }
  return table;
}

std::string verdict_of(const std::vector<Part>& parts) {
  const auto missing = std::count_if(parts.begin(), parts.end(), is_missing);
  const auto broken = std::count_if(parts.begin(), parts.end(), is_broken);
  std::string text =
      fmt::format("warpledger {}: {} of {} parts found", WL_VERSION,
                  static_cast<int64_t>(parts.size()) - missing - broken, parts.size());
  if (missing != 0) text += fmt::format(", {} missing", missing);
  if (broken != 0) text += fmt::format(", {} broken", broken);
  return text;
}

std::vector<std::string> remarks_of(const std::vector<Part>& parts, bool are_needed) {
  std::vector<std::string> remarks;
  for (const Part& part : parts) {
    if (is_broken(part))
      remarks.push_back(
          fmt::format("{} is broken: {}; to replace it: {}", part.name, part.fault, part.get));
  }
  if (!are_needed && std::any_of(parts.begin(), parts.end(), is_missing))
    remarks.emplace_back("no part is required: each command says so when it needs a missing one");
  return remarks;
}

int exit_code_of(const DoctorOptions& options, const std::vector<Part>& parts) {
  const bool lacks = !options.needed.empty() && std::any_of(parts.begin(), parts.end(), is_missing);
  return lacks || std::any_of(parts.begin(), parts.end(), is_broken) ? kGateFailed : kDone;
}

Status check_names(const std::vector<std::string>& needed) {
  const std::vector<std::string> known = part_names();
  for (const std::string& name : needed) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = did_you_mean(name, known);
    if (hint.empty()) hint = fmt::format("the parts are {}", fmt::join(known, ", "));
    return Diagnostic{
        .message = fmt::format("unknown part '{}'", name), .hint = hint, .code = "usage"};
  }
  return {};
}

void examine(Session& session, const DoctorOptions& options) {
  if (const Status known = check_names(options.needed); !known) return fail(session, known.error());
  const std::vector<Part> parts = chosen_parts(options);
  const Report shown{.command = "doctor",
                     .verdict = {verdict_of(parts)},
                     .tables = {short_table_of(parts)},
                     .remarks = remarks_of(parts, !options.needed.empty())};
  Report report = shown;
  report.tables = {table_of(parts)};
  session.exit_code = exit_code_of(options, parts);
  print(session, options.output, {.report = report, .text = render(shown, Format::kText)});
}

}  // namespace

void add_doctor(Command& app, Session& session) {
  Command command =
      add_command(app, "doctor", "list what is installed, what each part adds and how to get it",
                  "  warpledger doctor\n"
                  "  warpledger doctor nvcc triton   (exit code 1 if one is missing)\n"
                  "  warpledger doctor --json");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("parts", options->needed, "check only these parts; exit 1 if one is missing");
  add_output_options(*command, options->output);
  command->callback([options, &session] { examine(session, *options); });
}

}  // namespace warpledger::cli
