// `warpledger explain`: what limits a launch, why, what to change and what it would give, in 15
// lines; and the page of a rule.
#include "cli/commands/explain.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/profile.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/explain/rule_page.h"
#include "warpledger/profile/file/report_file.h"

namespace warpledger::cli {
namespace {

struct ExplainOptions {
  ProfileOptions profile;
  std::vector<std::string> more;  // files
  bool rules = false;
};

constexpr const char* kExamples =
    "  warpledger explain transpose.cu -k transpose_tiled --gpu a100 --grid 8,8 --block 32,32 \\\n"
    "      --arg in=f32[256x256] --arg out=f32[256x256] --arg i32:256\n"
    "  warpledger explain --gpu a100-80 ./app its arguments\n"
    "  warpledger explain before.wlrep after.wlrep --json\n"
    "  warpledger explain after.wlrep --against before.wlrep\n"
    "  warpledger explain bank-conflicts\n"
    "  warpledger explain --rules";

bool is_report(const std::string& file) {
  return file.ends_with(".wlrep") || file.ends_with(".json") || file.ends_with(".ncu-rep");
}

/// The rule that the command line names instead of a file; null: none.
const profile::RulePage* named_rule(const Session& session, const ExplainOptions& options) {
  const std::string& file = options.profile.query.kernel.file.path;
  if (session.program.size() == 1) return profile::find_rule_page(session.program[0]);
  return session.program.empty() ? profile::find_rule_page(file) : nullptr;
}

void print_page(Session& session, const OutputOptions& output, const profile::RulePage& page) {
  const nlohmann::ordered_json json = {
      {"rule", page.id}, {"title", page.title()}, {"markdown", page.markdown}};
  print(session, output,
        {.report = {.command = "explain", .verdict = {page.summary()}},
         .text = std::string(page.markdown),
         .json = json.dump(2) + "\n"});
}

void print_rules(Session& session, const OutputOptions& output) {
  Table table{.columns = {{"Rule", "rule"}, {"What", "title"}}};
  for (const profile::RulePage& page : profile::rule_pages())
    table.rows.push_back({{std::string(page.id), std::string(page.title())}});
  print(session, output, {.report = {.command = "explain --rules", .tables = {std::move(table)}}});
}

Status explain_reports(Session& session, const ExplainOptions& options) {
  std::vector<std::string> files = {options.profile.query.kernel.file.path};
  files.insert(files.end(), options.more.begin(), options.more.end());
  std::vector<profile::Profile> launches;
  for (const std::string& file : files) {
    WL_TRY(std::string text, read_file(file));
    WL_TRY(auto kept, profile::read_report(Source(file, std::move(text))));
    std::move(kept.begin(), kept.end(), std::back_inserter(launches));
  }
  const std::string& pattern = options.profile.query.kernel.kernel;
  WL_TRY(profile::LaunchFilter filter, launch_filter(options.profile.flags, pattern));
  std::erase_if(launches, [&](const auto& one) { return !filter.wants(one.kernel); });
  if (launches.empty()) say_nothing_profiled(session);
  return print_profiles(session, options.profile.shown, launches);
}

Status explain(Session& session, const ExplainOptions& options) {
  const OutputOptions& output = options.profile.shown.output;
  if (options.rules) return print_rules(session, output), Status();
  if (const profile::RulePage* page = named_rule(session, options))
    return print_page(session, output, *page), Status();
  const std::string& file = options.profile.query.kernel.file.path;
  if (is_report(file)) return explain_reports(session, options);
  if (!options.more.empty()) {
    return Diagnostic{
        .message = fmt::format("unexpected extra file '{}'", options.more[0]),
        .hint = "pass several files only if all are reports: .wlrep, .json or .ncu-rep",
        .code = "usage"};
  }
  Status done = profile_kernel(session, options.profile);
  if (done || done.error().code != "bad-program" || session.program.size() != 1) return done;
  Diagnostic refused = done.error();
  refused.hint = "'warpledger explain --rules' lists the rules that have a page";
  return refused;
}

}  // namespace

void add_explain(Command& app, Session& session) {
  auto options = std::make_shared<ExplainOptions>();
  Command command = add_command(
      app, "explain",
      "explain in 15 lines what limits a launch, why, and what to change; or explain a rule",
      kExamples);
  options->profile.shown.brief = true;
  add_profile_options(*command, options->profile);
  command->add_option("more", options->more, "more reports written by `profile -o` or `--json`");
  command
      ->add_option("--top", options->profile.shown.most_briefs,
                   "with several launches: explain only the N longest; 0: all")
      ->capture_default_str();
  command
      ->add_option("--against", options->profile.shown.against,
                   "an earlier profile of the kernel: also show what changed since then")
      ->type_name("FILE");
  command->add_flag("--rules", options->rules, "list the rules that have a page");
  command->callback([options, &session] {
    if (const Status status = explain(session, *options); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
