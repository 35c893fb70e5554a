// `warpledger gpus [GPU]`: which GPUs are known, and every number of one with its source.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/gpu/gpu.h"

namespace warpledger::cli {
namespace {

struct GpusOptions {
  std::string gpu;
  OutputOptions output;
};

Result<Report> report_of(const GpusOptions& options) {
  if (options.gpu.empty())
    return Report{.command = "gpus",
                  .tables = {list_of(all_gpus())},
                  .remarks = {"'warpledger gpus rtx3090' lists every number of one with its source;"
                              " --gpu ./my.toml reads your own file"}};
  WL_TRY(const Gpu gpu, load_gpu(options.gpu));
  return Report{.command = "gpus", .tables = {facts_of(gpu)}};
}

}  // namespace

void add_gpus(CLI::App& app, Session& session) {
  CLI::App* command = add_command(app, "gpus", "the GPUs it knows, and where each number is from",
                                  "  warpledger gpus\n"
                                  "  warpledger gpus rtx3090\n"
                                  "  warpledger gpus ./my.toml --json");
  auto options = std::make_shared<GpusOptions>();
  command->add_option("gpu", options->gpu, "a name, or a .toml file");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto report = report_of(*options);
    if (!report) return fail(session, report.error());
    print(session, options->output, {.report = *report});
  });
}

}  // namespace warpledger::cli
