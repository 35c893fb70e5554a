// `warpledger compare BEFORE AFTER`: two answers of any kind about one kernel. Ledgers are compared
// row by row, a report of ncu metric by metric, a plan (.tile) with a kernel array by array.
#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/algebra/sizes.h"
#include "warpledger/base/file.h"
#include "warpledger/compare/metrics.h"
#include "warpledger/compare/plan.h"
#include "warpledger/ledger/gate.h"
#include "warpledger/ledger/json.h"
#include "warpledger/ledger/table.h"
#include "warpledger/profile/metrics/ledger.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/parser.h"

namespace warpledger::cli {
namespace {

using match::Kind;

struct CompareOptions {
  std::string before;
  std::string after;
  std::string sizes;
  std::vector<std::string> gates;
  std::vector<std::string> map;
  std::string kernel;  // of files with several launches
  bool all = false;
  OutputOptions output;
};

/// A file, and what it is.
struct Side {
  Source source;
  Kind kind;
};

Result<Side> read_side(const std::string& path) {
  WL_TRY(std::string text, read_file(path));
  Source source(path, std::move(text));
  const Kind kind = match::kind_of(source);
  return Side{std::move(source), kind};
}

Result<Sizes> sizes_of(const CompareOptions& options) {
  if (options.sizes.empty()) return Sizes{};
  return parse_sizes(Source("--set", options.sizes));
}

Result<tile::CheckedProgram> read_plan(const Source& source, const Sizes& sizes) {
  WL_TRY(tile::Program program, tile::parse(source.name(), std::string(source.text())));
  return tile::with_sizes(std::move(program), sizes);
}

/// `other`: two tile programs are matched by their tensors, a file of `tile cost --ledger` by
/// tiles.
Result<Ledger> read_ledger(const Side& side, Kind other, const CompareOptions& options) {
  WL_TRY(const Sizes sizes, sizes_of(options));
  switch (side.kind) {
    case Kind::kPlan: {
      WL_TRY(const tile::CheckedProgram program, read_plan(side.source, sizes));
      return other == Kind::kPlan ? tile::ledger_by_tensor(program) : tile::ledger_of(program);
    }
    case Kind::kProfile: {
      WL_TRY(const auto launches, match::chosen_profiles(side.source, options.kernel));
      return profile::ledger_of(launches.front());
    }
    default:
      WL_TRY(const Ledger ledger, ledger_from_json(side.source));
      return at_sizes(ledger, sizes);
  }
}

std::string total_line(const LedgerDifference& both) {
  const Change& total = both.bytes().total;
  return both.is_empty() ? fmt::format("nothing changed: {} bytes", cell_of(*total.after).text)
                         : "total bytes: " + sentence_of(total);
}

struct Comparison {
  Answer answer = {.report = {.command = "compare"}};
  bool of_ledgers = true;
  bool failed = false;
};

Status refuse_gates(const CompareOptions& options) {
  if (options.gates.empty()) return {};
  return Diagnostic{.message = "--fail-if needs two ledgers, and these files are not both ledgers",
                    .hint = "use 'warpledger check' to set limits on profiles",
                    .code = "usage"};
}

Result<Comparison> compare_hardware(const CompareOptions& options, const Side& before,
                                    const Side& after) {
  WL_TRY_STATUS(refuse_gates(options));
  WL_TRY(match::MetricAnswer made,
         match::compare_metrics({before.source, after.source, options.kernel, options.all}));
  Comparison result{.of_ledgers = false};
  result.answer.report.verdict = std::move(made.verdict);
  result.answer.report.remarks = std::move(made.remarks);
  result.answer.report.tables = {std::move(made.table)};
  return result;
}

Result<match::KernelTraffic> read_traffic(const Side& side, const std::string& kernel) {
  if (side.kind == Kind::kProfile) {
    WL_TRY(const auto launches, match::chosen_profiles(side.source, kernel));
    return match::traffic_of(launches);
  }
  WL_TRY(const auto launches, match::chosen_launches(side.source, kernel));
  return match::traffic_of(launches.front());
}

Result<Comparison> compare_with_plan(const CompareOptions& options, const Side& plan_side,
                                     const Side& kernel_side) {
  WL_TRY_STATUS(refuse_gates(options));
  WL_TRY(const Sizes sizes, sizes_of(options));
  WL_TRY(const tile::CheckedProgram program, read_plan(plan_side.source, sizes));
  WL_TRY(const match::Plan plan, match::plan_of(program));
  WL_TRY(const match::KernelTraffic kernel, read_traffic(kernel_side, options.kernel));
  match::NameMap names;
  for (const std::string& text : options.map) {
    WL_TRY(auto pair, match::parse_pair(text));
    names.insert(std::move(pair));
  }
  WL_TRY(match::PlanComparison made, match::compare_plan(plan, kernel, names));
  Comparison result{.of_ledgers = false};
  Report& report = result.answer.report;
  report.verdict = {fmt::format("plan {} ({}) against {} ({})", plan.title, plan_side.source.name(),
                                kernel.title, kernel_side.source.name())};
  for (std::string& words : made.sentences) report.verdict.push_back(std::move(words));
  report.tables = std::move(made.tables);
  return result;
}

Result<Comparison> compare_ledgers(const CompareOptions& options, const Side& before_side,
                                   const Side& after_side) {
  std::vector<Gate> gates;
  for (const std::string& text : options.gates) {
    WL_TRY(Gate gate, parse_gate(Source("--fail-if", text)));
    gates.push_back(std::move(gate));
  }
  WL_TRY(const Ledger before, read_ledger(before_side, after_side.kind, options));
  WL_TRY(const Ledger after, read_ledger(after_side, before_side.kind, options));
  const LedgerDifference both = difference(before, after);
  Comparison result;
  Report& report = result.answer.report;
  report.verdict = {total_line(both)};
  report.tables = tables_of(both);
  for (const std::string& line : both.provenance) report.verdict.push_back(line);
  for (const Gate& gate : gates) {
    WL_TRY(const GateOutcome outcome, check_gate(gate, before, after));
    result.failed = result.failed || outcome.failed;
    report.verdict.push_back(outcome.to_text());
  }
  return result;
}

bool is_kernel(Kind kind) { return kind == Kind::kProfile || kind == Kind::kHardware; }

Result<Comparison> compare_files(const CompareOptions& options) {
  WL_TRY(const Side before, read_side(options.before));
  WL_TRY(const Side after, read_side(options.after));
  if (before.kind == Kind::kPlan && is_kernel(after.kind)) {
    return compare_with_plan(options, before, after);
  }
  if (after.kind == Kind::kPlan && is_kernel(before.kind)) {
    return compare_with_plan(options, after, before);
  }
  if (!options.map.empty()) {
    return Diagnostic{
        .message = "--map needs a .tile program on one side and a profile on the other",
        .code = "usage"};
  }
  if (before.kind == Kind::kHardware || after.kind == Kind::kHardware) {
    return compare_hardware(options, before, after);
  }
  return compare_ledgers(options, before, after);
}

void run_compare(Session& session, const CompareOptions& options) {
  Result<Comparison> result = compare_files(options);
  if (!result) return fail(session, result.error());
  if (result->of_ledgers && options.gates.empty() && !session.quiet) {
    result->answer.report.remarks.push_back(
        "no gate given, so the exit code is 0 whatever changed; add --fail-if 'dram.bytes > +2%' "
        "to fail on a regression");
  }
  if (result->failed) session.exit_code = kGateFailed;
  print(session, options.output, result->answer);
}

void add_options(Command& command, CompareOptions& options) {
  command
      .add_option("before", options.before,
                  "baseline: a ledger, profile, .tile program or ncu report (- for stdin)")
      ->required();
  command
      .add_option("after", options.after,
                  "the file to compare with the baseline, of any of these kinds")
      ->required();
  command
      .add_option("--fail-if", options.gates,
                  "exit with 1 if this is true: METRIC > LIMIT, with a METRIC such as\n"
                  "dram.bytes, dram->smem.bytes, total.bytes or l1.sectors, one of > >= < <=,\n"
                  "and a LIMIT that is a change (+2%, +4096) or a value (1000)")
      ->type_name("GATE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--set", options.sizes, "values for the sizes of formulas: N=8192,d=128")
      ->type_name("SIZES");
  command
      .add_option(
          "--map", options.map,
          "match a tensor of the plan to an array of the kernel; equal names match by themselves")
      ->type_name("PLAN=KERNEL")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("-k,--kernel", options.kernel,
                     "with several launches: compare the first one of this kernel (or regex:)");
  command.add_flag("--all", options.all,
                   "for ncu reports: also show metrics that only one side has");
  add_output_options(command, options.output);
}

}  // namespace

void add_compare(Command& app, Session& session) {
  const auto options = std::make_shared<CompareOptions>();
  Command command = add_command(
      app, "compare", "compare two ledgers, profiles or reports; optionally fail on a regression",
      "  warpledger compare before.json after.json\n"
      "  warpledger compare before.json after.json --fail-if 'dram.bytes > +2%'\n"
      "  warpledger compare naive.json flash.json --set N=8192,d=64,Br=64 --format md\n"
      "  warpledger compare hardware.csv profile.json   (ncu --csv, its text, or "
      ".ncu-rep)\n"
      "  warpledger compare flash.tile profile.json --set N=1024,d=64,Br=128,Bc=64 "
      "--map O=out");
  add_options(*command, *options);
  command->callback([options, &session] { run_compare(session, *options); });
}

}  // namespace warpledger::cli
