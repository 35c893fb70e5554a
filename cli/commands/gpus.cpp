// `warpledger gpus [GPU]`: which GPUs are known, and every number of one with its source. `gpus
// new` is in gpus_new.cpp.
#include "cli/commands/gpus.h"

#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/gpu/assumed.h"

namespace warpledger::cli {
namespace {

struct GpusOptions {
  std::string gpu;
  bool assumed = false;
  OutputOptions output;
};

Result<Report> report_of(const GpusOptions& options) {
  if (options.assumed) {
    if (options.gpu.empty()) return Report{.command = "gpus", .tables = {assumed_of(all_gpus())}};
    WL_TRY(const Gpu gpu, load_gpu(options.gpu));
    return Report{.command = "gpus", .tables = {assumed_of({gpu})}};
  }
  if (options.gpu.empty())
    return Report{.command = "gpus",
                  .tables = {list_of(all_gpus())},
                  .remarks = {"'warpledger gpus rtx3090' lists every number of one GPU with its "
                              "source; --assumed lists the numbers that are neither published nor "
                              "measured; --gpu ./my.toml reads your own file"}};
  WL_TRY(const Gpu gpu, load_gpu(options.gpu));
  return Report{.command = "gpus", .tables = {facts_of(gpu)}};
}

}  // namespace

void add_gpus(Command& app, Session& session) {
  Command command =
      add_command(app, "gpus", "list the supported GPUs and the source of each number",
                  "  warpledger gpus\n"
                  "  warpledger gpus rtx3090\n"
                  "  warpledger gpus --assumed\n"
                  "  warpledger gpus new --from report.ncu-rep -o my.toml\n"
                  "  warpledger gpus ./my.toml --json");
  auto options = std::make_shared<GpusOptions>();
  command->add_option("gpu", options->gpu, "a name, or a .toml file");
  command->add_flag("--assumed", options->assumed,
                    "show only assumed numbers and what they were taken from");
  add_output_options(*command, options->output);
  add_gpus_new(*command, session);
  command->callback([command, options, &session] {
    if (command->has_chosen()) return;
    const auto report = report_of(*options);
    if (!report) return fail(session, report.error());
    print(session, options->output, {.report = *report});
  });
}

}  // namespace warpledger::cli
