// warpledger plan search: how many stages fit, for which tiles?
#include <fmt/core.h>

#include <memory>

#include "cli/commands/plan.h"
#include "cli/terminal/output.h"
#include "warpledger/base/number.h"

namespace warpledger::cli {
namespace {

struct Options {
  PlanInput input;
  std::vector<std::string> vary = {};
  bool all = false;
  OutputOptions output = {};
};

std::string sizes_text(const plan::Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::vector<std::string> verdict_of(const plan::Choices& choices, const std::string& gpu) {
  if (choices.fitting.empty()) {
    const std::string sizes = sizes_text(*choices.nearest);
    return {fmt::format("nothing fits {}; {} misses by {} bytes", gpu,
                        sizes.empty() ? "it" : sizes + ", the nearest,",
                        group_thousands(choices.nearest_missing_bytes))};
  }
  int64_t best = 0;
  for (const plan::Choice& choice : choices.fitting) best += choice.is_best ? 1 : 0;
  return {fmt::format(
      "{} choices tried on {}: {} fit, {} are Pareto-optimal", group_thousands(choices.tried), gpu,
      group_thousands(static_cast<int64_t>(choices.fitting.size())), group_thousands(best))};
}

Status run_search(Session& session, const Options& options) {
  WL_TRY(const std::vector<plan::PlanReader> readers, readers_of(options.input.file));
  const plan::PlanReader& read = readers.front();
  WL_TRY(const plan::Sizes sizes, parse_sizes(options.input.sizes));
  std::vector<plan::Range> ranges;
  plan::Sizes first = sizes;
  for (const std::string& word : options.vary) {
    WL_TRY(const plan::Range range, parse_range(word));
    first[range.name] = range.values.front();
    ranges.push_back(range);
  }
  WL_TRY(const plan::Plan one, read(first));
  WL_TRY(const Gpu gpu, gpu_of(options.input, one));
  WL_TRY(const plan::Choices choices, plan::search(read, sizes, ranges, gpu));
  Answer answer{.report = {.command = "plan search", .verdict = verdict_of(choices, gpu.name)}};
  if (choices.fitting.empty()) {
    session.exit_code = kGateFailed;
  } else {
    answer.report.tables.push_back(plan::choices_table(choices, !options.all));
  }
  print(session, options.output, answer);
  return {};
}

}  // namespace

void add_plan_search(Command& plan_command, Session& session) {
  Command command =
      add_command(plan_command, "search", "find the deepest pipeline for each tile shape",
                  "  warpledger plan search gemm.plan --vary M=128,256 --vary N=64,128");
  auto options = std::make_shared<Options>();
  add_plan_input(*command, options->input);
  command
      ->add_option("--vary", options->vary, "NAME=N,N,...: values of a let to try; may be repeated")
      ->type_name("NAME=N,...")
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--all", options->all, "also show choices that are not Pareto-optimal");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status done = run_search(session, *options); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
