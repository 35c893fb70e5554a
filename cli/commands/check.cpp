// `warpledger check budgets.toml`: checks kernels against performance budgets.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/commands/check_launches.h"
#include "cli/commands/commands.h"
#include "cli/options/ci_options.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/ci/summary.h"
#include "warpledger/profile/limits/file.h"
#include "warpledger/profile/limits/report.h"

namespace warpledger::cli {
namespace {

using profile::budget::Baseline;
using profile::budget::Budget;
using profile::budget::Checked;

struct CheckOptions {
  std::string file;
  std::vector<std::string> only;  // budgets
  std::string baseline, junit;
  bool update_baseline = false, github = false, markdown = false, list = false;
  BudgetOptions launches;
  CiOptions ci;
  OutputOptions output;
};

constexpr const char* kExamples =
    "  warpledger check budgets.toml\n"
    "  warpledger check budgets.toml --junit results.xml --github\n"
    "  warpledger check budgets.toml --sarif results.sarif --summary summary.md\n"
    "  warpledger check budgets.toml --update-baseline\n"
    "  warpledger check --list";

/// budgets.toml -> budgets.baseline.json
std::string baseline_path(const CheckOptions& options) {
  if (!options.baseline.empty()) return options.baseline;
  const bool ended = options.file.ends_with(".toml");
  return options.file.substr(0, options.file.size() - (ended ? 5 : 0)) + ".baseline.json";
}

Result<Baseline> read_baseline(const CheckOptions& options, const std::vector<Budget>& budgets) {
  const bool needed = std::any_of(budgets.begin(), budgets.end(), [](const Budget& budget) {
    return std::any_of(budget.limits.begin(), budget.limits.end(), [](const auto& one) {
      return one.limit.uses(profile::budget::Op::kBaseline);
    });
  });
  const std::string path = baseline_path(options);
  Result<std::string> text = read_file(path);
  if (!text) {  // a limit that needs it says so
    if (needed && !options.baseline.empty() && !options.update_baseline) return text.error();
    return Baseline();
  }
  return Baseline::from_json(Source(path, *std::move(text)));
}

struct Checking {
  std::vector<Checked> all;
  Baseline baseline;  // as it is now
};

void check_launch(const Budget& budget, const ProfiledLaunch& launch, const Baseline& before,
                  Checking& checking) {
  const std::string name = fmt::format("{} on {}", launch.kernel, launch.gpu);
  const std::string key = fmt::format("{}: {}", budget.name, name);
  for (const auto& [limit, at] : budget.limits) {
    Checked one{.budget = budget.name,
                .launch = name,
                .limit_at = at,
                .kernel_file = launch.file,
                .judgment = judge(limit, launch.profile, before, key)};
    if (limit.uses(profile::budget::Op::kBaseline)) {
      const auto value = profile::budget::find_quantity(limit.subject())
                             ->value({launch.profile, launch.profile.counters})
                             .number();
      if (value) checking.baseline.set(key, limit.subject(), *value);
    }
    checking.all.push_back(std::move(one));
  }
}

bool is_wanted(const CheckOptions& options, const Budget& budget) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), budget.name) != options.only.end();
}

Result<Checking> check_all(Session& session, const CheckOptions& options,
                           const std::vector<Budget>& budgets, const Baseline& before) {
  Checking checking;
  for (const Budget& budget : budgets) {
    if (!is_wanted(options, budget)) continue;
    WL_TRY(const auto launches, profile_launches(session, options.launches, budget));
    for (const ProfiledLaunch& launch : launches) {
      check_launch(budget, launch, before, checking);
    }
  }
  return checking;
}

/// A limit that could not be judged is bad input, not a broken budget.
int exit_code_of(const std::vector<Checked>& all) {
  const auto counted = profile::budget::count(all);
  return counted.unknown > 0 ? kBadInput : counted.broken > 0 ? kGateFailed : kDone;
}

Status update(Session& session, const CheckOptions& options, const std::vector<Budget>& budgets,
              const Baseline& before) {
  WL_TRY(const Checking checking, check_all(session, options, budgets, before));
  const std::string path = baseline_path(options);
  if (checking.baseline == before) {
    session.out << fmt::format("{} is unchanged\n", path);
    return {};
  }
  WL_TRY_STATUS(write_file(path, checking.baseline.to_json()));
  session.out << fmt::format("wrote {}\n", path);
  for (const Checked& one : checking.all) {
    const auto& metric = one.judgment.metric;
    const auto now = checking.baseline.find(one.budget + ": " + one.launch, metric);
    if (!now || now == one.judgment.baseline) continue;
    const std::string was =
        one.judgment.baseline ? profile::budget::number_text(*one.judgment.baseline) : "new";
    session.out << fmt::format("  {}: {}: {} -> {}\n", one.launch, metric, was,
                               profile::budget::number_text(*now));
  }
  return {};
}

Status show(Session& session, const CheckOptions& options, const Checking& checking) {
  const auto& all = checking.all;
  if (!options.junit.empty()) {
    WL_TRY_STATUS(write_file(options.junit, profile::budget::to_junit(all, options.file)));
  }
  WL_TRY_STATUS(write_ci(options.ci, ci::annotations_of(all), ci::to_markdown(all)));
  Answer answer{.report = {.command = "check",
                           .verdict = {profile::budget::headline(all)},
                           .tables = {profile::budget::table_of(all)}}};
  answer.text = profile::budget::breaches(all) + profile::budget::headline(all) + "\n";
  OutputOptions output = options.output;
  if (options.markdown) output.format = "md";
  print(session, output, answer);
  // Annotations must not be mixed into JSON or CSV output.
  const bool for_scripts = output.json || output.format == "json" || output.format == "csv";
  if (options.github) {
    (for_scripts ? session.err : session.out) << profile::budget::to_github(all);
  }
  session.exit_code = std::max(session.exit_code, exit_code_of(all));
  return {};
}

void list_names(Session& session, const OutputOptions& output) {
  Table table{
      .columns = {{"Name", "name"}, {"Unit", "unit"}, {"Ideal", "ideal"}, {"What", "what"}}};
  for (const auto& one : profile::budget::short_names()) {
    table.rows.push_back({{one.name, one.unit, one.ideal ? "yes" : "", one.meaning}});
  }
  table.notes = {"ncu's metric names and the labels of its details page (in quotes) also work"};
  print(session, output, {.report = {.command = "check --list", .tables = {std::move(table)}}});
}

Status run_check(Session& session, const CheckOptions& options) {
  if (options.list) return list_names(session, options.output), Status();
  if (options.file.empty()) {
    return Diagnostic{.message = "file is required",
                      .hint = "'warpledger check --help' shows examples",
                      .code = "usage"};
  }
  WL_TRY(std::string text, read_file(options.file));
  WL_TRY(const auto budgets, profile::budget::parse_budgets(Source(options.file, std::move(text))));
  WL_TRY(const Baseline before, read_baseline(options, budgets));
  if (options.update_baseline) return update(session, options, budgets, before);
  WL_TRY(const Checking checking, check_all(session, options, budgets, before));
  return show(session, options, checking);
}

}  // namespace

void add_check(Command& app, Session& session) {
  const auto options = std::make_shared<CheckOptions>();
  Command command =
      add_command(app, "check", "check kernels against performance budgets (for CI)", kExamples);
  command->add_option("file", options->file, "budgets (TOML; docs/check.md)");
  command->add_option("--only", options->only, "check only this budget; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--report", options->launches.report,
                   "check a report written by `profile -o`; run nothing")
      ->type_name("FILE");
  command
      ->add_option("--baseline", options->baseline,
                   "file with the baseline values (default: NAME.baseline.json beside the budgets)")
      ->type_name("FILE");
  command->add_flag("--update-baseline", options->update_baseline,
                    "write the current values as the baseline; check nothing");
  command->add_option("--junit", options->junit, "also write JUnit XML")->type_name("FILE");
  command->add_flag("--github", options->github, "also print GitHub annotations");
  add_ci_options(*command, options->ci);
  command->add_flag("--markdown", options->markdown, "short for --format md");
  command->add_flag("--list", options->list, "list the short metric names that limits can use");
  command->add_flag("--no-store", options->launches.no_store, "run everything again");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    options->launches.budgets_file = options->file;
    if (const Status done = run_check(session, *options); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
