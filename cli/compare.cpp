// `warpledger compare BEFORE AFTER`: what changed between two ledgers, and whether it may.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/compare_metrics.h"
#include "cli/output.h"
#include "warpledger/base/file.h"
#include "warpledger/ledger/gate.h"
#include "warpledger/ledger/json.h"
#include "warpledger/ledger/table.h"
#include "warpledger/profile/json.h"
#include "warpledger/profile/ledger.h"
#include "warpledger/symbol/sizes.h"

namespace warpledger::cli {
namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  std::string sizes;
  std::vector<std::string> gates;
  std::string kernel;  // of files with several launches
  bool all = false;
  OutputOptions output;
};

Result<Ledger> read_ledger(const Source& source, const Sizes& sizes) {
  if (profile::is_profile_json(source.text())) {
    WL_TRY(const profile::Profile made, profile::profile_from_json(source));
    return profile::ledger_of(made);
  }
  WL_TRY(const Ledger ledger, ledger_from_json(source));
  return at_sizes(ledger, sizes);
}

std::string total_line(const LedgerDifference& both) {
  const Change& total = both.bytes().total;
  return both.is_empty() ? fmt::format("nothing changed: {} bytes", cell_of(*total.after).text)
                         : "total bytes: " + sentence_of(total);
}

struct Comparison {
  Answer answer;
  bool of_ledgers = true;
  bool failed = false;
};

Result<Comparison> compare_hardware(const CompareOptions& options, const Source& before,
                                    const Source& after) {
  if (!options.gates.empty()) {
    return Diagnostic{.message = "--fail-if judges ledgers, and a report of ncu is none",
                      .hint = "'warpledger check' holds profiles to limits",
                      .code = "usage"};
  }
  Comparison result{.of_ledgers = false};
  WL_TRY(result.answer, compare_metrics({before, after, options.kernel, options.all}));
  return result;
}

Result<Comparison> compare_files(const CompareOptions& options) {
  WL_TRY(std::string before_text, read_file(options.before));
  WL_TRY(std::string after_text, read_file(options.after));
  const Source before_file(options.before, std::move(before_text));
  const Source after_file(options.after, std::move(after_text));
  if (is_ncu_file(before_file) || is_ncu_file(after_file)) {
    return compare_hardware(options, before_file, after_file);
  }
  Sizes sizes;
  if (!options.sizes.empty()) {
    WL_TRY(sizes, parse_sizes(Source("--set", options.sizes)));
  }
  std::vector<Gate> gates;
  for (const std::string& text : options.gates) {
    WL_TRY(Gate gate, parse_gate(Source("--fail-if", text)));
    gates.push_back(std::move(gate));
  }
  WL_TRY(const Ledger before, read_ledger(before_file, sizes));
  WL_TRY(const Ledger after, read_ledger(after_file, sizes));
  const LedgerDifference both = difference(before, after);
  Comparison result;
  Report& report = result.answer.report;
  report = {.command = "compare", .verdict = {total_line(both)}, .tables = tables_of(both)};
  for (const std::string& line : both.provenance) report.verdict.push_back(line);
  for (const Gate& gate : gates) {
    WL_TRY(const GateOutcome outcome, check_gate(gate, before, after));
    result.failed = result.failed || outcome.failed;
    report.verdict.push_back(outcome.to_text());
  }
  return result;
}

void run_compare(Session& session, const CompareOptions& options) {
  Result<Comparison> result = compare_files(options);
  if (!result) return fail(session, result.error());
  if (result->of_ledgers && options.gates.empty() && !session.quiet) {
    result->answer.report.remarks.push_back(
        "no gate was given, so the exit code is 0 whatever changed; "
        "--fail-if 'dram.bytes > +2%' makes it 1 when that happens");
  }
  if (result->failed) session.exit_code = kGateFailed;
  print(session, options.output, result->answer);
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      add_command(app, "compare", "what changed between two ledgers, and whether it may",
                  "  warpledger compare before.json after.json\n"
                  "  warpledger compare before.json after.json --fail-if 'dram.bytes > +2%'\n"
                  "  warpledger compare naive.json flash.json --set N=8192,d=64,Br=64 --format md\n"
                  "  warpledger compare hardware.csv profile.json   (ncu --csv, or its text)");
  command
      ->add_option("before", options->before,
                   "the ledger or profile to compare with (JSON; - is stdin)")
      ->required();
  command->add_option("after", options->after, "the ledger or profile to judge")->required();
  command
      ->add_option("--fail-if", options->gates,
                   "exit with 1 when this comes true: METRIC > LIMIT, with a METRIC such as\n"
                   "dram.bytes, dram->smem.bytes, total.bytes or l1.sectors, one of > >= < <=,\n"
                   "and a LIMIT that is a change (+2%, +4096) or a value (1000)")
      ->type_name("GATE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command->add_option("--set", options->sizes, "values for the sizes of formulas: N=8192,d=128")
      ->type_name("SIZES");
  command->add_option("-k,--kernel", options->kernel,
                      "reports of several launches: the first of this kernel (or regex:)");
  command->add_flag("--all", options->all, "reports of ncu: also metrics that one side lacks");
  add_output_options(*command, options->output);
  command->callback([options, &session] { run_compare(session, *options); });
}

}  // namespace warpledger::cli
