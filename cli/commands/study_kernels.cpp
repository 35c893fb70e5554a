// Studies of kernels under the profiler: `study gemm`, `study sweep`.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "cli/commands/study.h"
#include "cli/terminal/files.h"
#include "cli/terminal/output.h"
#include "examples/studies/gemm.h"
#include "warpledger/base/file.h"
#include "warpledger/base/parallel.h"
#include "warpledger/sweep/sweep.h"

namespace warpledger::cli {
namespace {

struct GemmFlags {
  std::string out, gpu = "a100";
  int64_t n = 512;
  StudyFlags run;
};

Status run_gemm_study(Session& session, const GemmFlags& flags) {
  std::optional<store::Store> store = open_store(session, !flags.run.no_store);
  study::GemmOptions gemm{.n = flags.n, .run = run_options(flags.run, store)};
  WL_TRY(gemm.gpu, load_gpu(flags.gpu));
  gemm.run.requests[gemm.gpu.id] = flags.gpu;
  WL_TRY(const study::Files files, study::gemm_study(gemm));
  return write_all(session, flags.out, files);
}

struct SweepFlags {
  std::string file;
  OutputOptions output;
  StudyFlags run;
};

Status run_sweep_study(Session& session, const SweepFlags& flags) {
  WL_TRY(std::string text, read_file(flags.file));
  WL_TRY(const study::Sweep sweep, study::parse_sweep(Source(flags.file, std::move(text))));
  const auto beside = std::filesystem::path(flags.file).parent_path() / sweep.file;
  std::optional<store::Store> store = open_store(session, !flags.run.no_store);
  const auto load = [&](const std::string& architecture) {
    return profile::load_ptx({.path = beside.string(), .arch = architecture}, pointer_to(store));
  };
  WL_TRY(Table table, study::run_sweep(sweep, load, run_options(flags.run, store)));
  print(session, flags.output, {.report = {.command = "sweep", .tables = {std::move(table)}}});
  return {};
}

}  // namespace

void add_study_flags(Command& command, StudyFlags& flags) {
  add_sampling_options(command, flags.sampling);
  command.add_flag("--no-sass", flags.no_sass, "do not run ptxas; count PTX instructions");
  command.add_flag("--no-witness", flags.no_sass, "--no-sass")->group("");  // before 0.1
  command.add_flag("--no-store", flags.no_store, "do not use the store");
}

study::RunOptions run_options(const StudyFlags& flags, std::optional<store::Store>& store) {
  const uint32_t threads = flags.sampling.threads;
  return {.store = pointer_to(store),
          .threads = threads ? threads : available_threads(),
          .sass = !flags.no_sass,
          .sampling = sampling_of(flags.sampling)};
}

Status write_all(Session& session, const std::string& folder, const study::Files& files) {
  WL_TRY_STATUS(write_files(folder, files));
  for (const auto& [name, bytes] : files) session.out << folder << "/" << name << "\n";
  return {};
}

void add_study_gemm(Command& study, Session& session) {
  const auto flags = std::make_shared<GemmFlags>();
  Command command =
      add_command(study, "gemm", "show what each step of the GEMM ladder does to each memory level",
                  "  warpledger study gemm --gpu a100 --n 512 --out gemm-study");
  command->add_option("--out", flags->out, "output directory")->required();
  command->add_option("--gpu", flags->gpu, "the GPU, sm_80 or later")->capture_default_str();
  command->add_option("--n", flags->n, "rows and columns, a multiple of 64")->capture_default_str();
  add_study_flags(*command, flags->run);
  command->callback([&session, flags] {
    if (const Status done = run_gemm_study(session, *flags); !done) fail(session, done.error());
  });
}

void add_study_sweep(Command& study, Session& session) {
  const auto flags = std::make_shared<SweepFlags>();
  Command command =
      add_command(study, "sweep", "profile one kernel over a grid of shapes, parameters and GPUs",
                  "  warpledger study sweep transpose.toml\n"
                  "  warpledger study sweep transpose.toml --format csv --export sweep.json");
  command->add_option("file", flags->file, "what to run (TOML, docs/study.md)")->required();
  add_study_flags(*command, flags->run);
  add_output_options(*command, flags->output);
  command->callback([&session, flags] {
    if (const Status done = run_sweep_study(session, *flags); !done) fail(session, done.error());
  });
}

}  // namespace warpledger::cli
