// warpledger plan verify: are offsets written by hand valid?
#include <fmt/core.h>

#include <memory>

#include "cli/commands/plan.h"
#include "cli/terminal/output.h"
#include "warpledger/base/number.h"
#include "warpledger/plan/report.h"
#include "warpledger/plan/verify.h"

namespace warpledger::cli {
namespace {

struct Options {
  PlanInput input;
  OutputOptions output = {};
};

std::string verdict_of(const plan::Plan& one, const plan::Verification& found) {
  const plan::Packing& packing = found.written.shared.packing;
  std::string text = fmt::format(
      "{} is valid: {} bytes, {} pair{} of buffers share memory, each ordered by a barrier",
      one.name, group_thousands(packing.total), found.overlaid_pairs,
      found.overlaid_pairs == 1 ? "" : "s");
  if (packing.total > packing.lower_bound) {
    text += fmt::format("; warpledger plan could save up to {}",
                        group_thousands(packing.total - packing.lower_bound));
  }
  return text;
}

Status run_verify(Session& session, const Options& options) {
  WL_TRY(const std::vector<plan::PlanReader> readers, readers_of(options.input.file));
  WL_TRY(const plan::Sizes sizes, parse_sizes(options.input.sizes));
  WL_TRY(const plan::Plan one, readers.front()(sizes));
  WL_TRY(const Gpu gpu, gpu_of(options.input, one));
  WL_TRY(plan::Verification found, plan::verify(one, gpu));
  if (!found.faults.empty()) {
    Diagnostic first = found.faults.front();
    first.also.assign(found.faults.begin() + 1, found.faults.end());
    fail(session, first);
    session.exit_code = kGateFailed;
    return {};
  }
  Answer answer{.report = {.command = "plan verify", .verdict = {verdict_of(one, found)}}};
  if (!found.written.shared.slots.empty()) {
    answer.report.tables.push_back(plan::shared_table(one, found.written));
  }
  if (!found.written.tensor.slots.empty()) {
    answer.report.tables.push_back(plan::tensor_table(one, found.written));
  }
  answer.drawing = [&] { return plan::draw(one, found.written); };
  print(session, options.output, answer);
  return {};
}

}  // namespace

void add_plan_verify(Command& plan_command, Session& session) {
  Command command = add_command(plan_command, "verify",
                                "check offsets written by hand (at) for unordered overlaps",
                                "  warpledger plan verify by-hand.plan");
  auto options = std::make_shared<Options>();
  add_plan_input(*command, options->input);
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status done = run_verify(session, *options); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
