// `warpledger study`: many analyses into one directory; `warpledger ceilings`: this machine's
// roofs.
#include "cli/commands/study.h"

#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "examples/studies/attention.h"
#include "warpledger/base/file.h"

namespace warpledger::cli {
namespace {

struct StudyOptions {
  std::string out;
  std::string ceilings;
  std::vector<std::string> gpus = {"a100", "h100"};
  std::vector<int64_t> profiled;
  StudyFlags run;
};

Result<study::Ceilings> ceilings_for(const StudyOptions& options) {
  if (options.ceilings.empty()) return study::measure_ceilings();
  WL_TRY(const std::string text, read_file(options.ceilings));
  return study::ceilings_from_json(text);
}

Status run_attention(const StudyOptions& options, Session& session) {
  for (const int64_t n : options.profiled) {
    if (n < 128 || n > 4096 || n % 128 != 0) {
      return Diagnostic{fmt::format("--profile {} is not a multiple of 128 up to 4096", n),
                        "the kernels do not handle partial tiles", "bad-size"};
    }
  }
  std::optional<store::Store> store =
      open_store(session, !options.run.no_store && !options.profiled.empty());
  study::AttentionOptions attention{
      .version = WL_VERSION, .profiled = options.profiled, .run = run_options(options.run, store)};
  WL_TRY(attention.machine, ceilings_for(options));
  for (const std::string& name : options.gpus) {
    WL_TRY(Gpu gpu, load_gpu(name));
    attention.run.requests[gpu.id] = name;
    attention.gpus.push_back(std::move(gpu));
  }
  WL_TRY(const study::Files files, study::attention_study(attention));
  return write_all(session, options.out, files);
}

}  // namespace

void add_study(Command& app, Session& session) {
  Command command =
      add_command(app, "study", "run many analyses and write the results to one directory",
                  "  warpledger study attention --out attention-study");
  command->require_subcommand(1);
  const auto options = std::make_shared<StudyOptions>();
  Command attention =
      add_command(*command, "attention", "bytes of naive and flash attention, derived and counted",
                  "  warpledger study attention --out attention-study\n"
                  "  warpledger study attention --out attention-study --gpu a100 rtx3090 \\\n"
                  "      --profile 512,1024,2048,4096");
  attention->add_option("--out", options->out, "output directory")->required();
  attention->add_option("--ceilings", options->ceilings,
                        "rooflines saved by 'warpledger ceilings --save' (default: measure now)");
  attention->add_option("--gpu", options->gpus, "also show the rooflines and caches of these GPUs")
      ->capture_default_str();
  attention
      ->add_option("--profile", options->profiled,
                   "also profile our CUDA kernels at these N: 512,1024")
      ->delimiter(',');
  add_study_flags(*attention, options->run);
  attention->callback([&session, options] {
    if (const Status done = run_attention(*options, session); !done) fail(session, done.error());
  });
  add_study_gemm(*command, session);
  add_study_sweep(*command, session);
}

void add_ceilings(Command& app, Session& session) {
  struct Options {
    std::string save;
    std::vector<std::string> gpus;
    OutputOptions output;
  };
  Command command = add_command(
      app, "ceilings", "measure this machine's memory and compute peaks; compare them with GPUs",
      "  warpledger ceilings\n  warpledger ceilings --gpu h100 --save roofs.json");
  const auto options = std::make_shared<Options>();
  command->add_option("--gpu", options->gpus, "also show the peaks of this GPU");
  command->add_option("--save", options->save, "write this machine's peaks as JSON");
  add_output_options(*command, options->output);
  command->callback([&session, options] {
    std::vector<study::Ceilings> all = {study::measure_ceilings()};
    if (!options->save.empty()) {
      const Status saved = write_file(options->save, study::to_json(all.front()));
      if (!saved) return fail(session, saved.error());
    }
    for (const std::string& name : options->gpus) {
      const auto gpu = load_gpu(name);
      if (!gpu) return fail(session, gpu.error());
      const auto ceilings = study::ceilings_of(*gpu);
      if (!ceilings) return fail(session, ceilings.error());
      all.push_back(*ceilings);
    }
    print(session, options->output,
          {.report = {.command = "ceilings", .tables = {study::ceilings_table(all)}}});
  });
}

}  // namespace warpledger::cli
