// `warpledger profile`: what Nsight Compute would say of a launch, without a GPU.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/kernel_options.h"
#include "cli/profile_flags.h"
#include "cli/profile_output.h"
#include "cli/profile_store.h"
#include "cli/program.h"
#include "cli/sampling_options.h"
#include "warpledger/profile/metric.h"
#include "warpledger/profile/run.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

struct ProfileOptions {
  KernelOptions kernel;
  std::string gpu, cache_control = "all", prefer = "none";
  std::optional<int64_t> registers, carveout;
  uint64_t seed = memory::Schedule{}.seed;
  bool band = false, no_witness = false, check_races = false;
  SamplingFlags sampling;
  ProfileFlags flags;
  ProfileOutput shown;
};

constexpr const char* kExamples =
    "  warpledger profile matmul.cu --kernel matmul_naive --gpu rtx3090 --grid 8,8 --block 16,16 "
    "\\\n"
    "      --arg A=f32[128x128]:random --arg B=f32[128x128]:random --arg C=f32[128x128] \\\n"
    "      --arg i32:128 --arg i32:128 --arg i32:128\n"
    "  warpledger profile --gpu rtx3090 -k regex:matmul ./app its arguments\n"
    "  warpledger profile python3 triton_script.py\n"
    "  warpledger profile kernel.ptx -k k --gpu a100 --grid 64 --block 256 --arg f32[16384] --csv "
    "\\\n"
    "      --page raw\n"
    "  warpledger profile kernel.ptx -k k --gpu a100 --grid 64 --block 256 --arg f32[16384] -o k\n"
    "  warpledger profile --import k.wlrep --page source";

Result<Profile> make(const Session& session, const ProfileOptions& options,
                     const KernelOptions& kernel, const Gpu& gpu, std::string ptx) {
  WL_TRY(const ptx::Module module, parse_module(kernel, std::move(ptx)));
  profile::Request request{.module = module, .file = kernel.file};
  WL_TRY(request.kernel, choose_kernel(options.flags, kernel.kernel, module));
  request.gpu = gpu;
  request.gpu_request = options.gpu;
  request.grid = extent_of(kernel.grid);
  request.block = extent_of(kernel.block);
  request.cluster = cluster_of(kernel);
  request.dynamic_shared_bytes = kernel.shared;
  WL_TRY(request.arguments, parse_arguments(kernel));
  request.registers = options.registers;
  request.carveout_kib = options.carveout;
  if (options.prefer == "shared") request.cache = CachePreference::kShared;
  request.policy.schedule.seed = options.seed;
  request.policy.flush_caches = options.cache_control == "all";
  request.witness = !options.no_witness;
  request.check_global = options.check_races;
  request.orders = options.band ? 3 : 1;
  request.engine.engine = kernel.engine;
  // Counters follow from addresses: what no address depends on need not be computed.
  request.engine.values = kernel.values == exec::Values::kAuto ? exec::Values::kOff : kernel.values;
  request.engine.limits.warp_instructions = kernel.limit;
  exec::Deadline deadline;
  if (options.flags.timeout_seconds > 0) {
    deadline.start(options.flags.timeout_seconds);
    request.engine.limits.deadline = &deadline;
  }
  request.engine.code_folder = exec::default_code_folder();
  const ProgressLine line(session);
  apply(options.sampling, line, request);
  WL_TRY(Profile made, profile::run(request));
  made.version = WL_VERSION;
  return made;
}

Status profile_program(Session& session, const ProfileOptions& options,
                       const ProfileOutput& shown) {
  ProgramRequest request{.command = session.program, .gpu = options.gpu};
  request.kernels = options.kernel.kernel;
  request.timeout = options.flags.timeout_seconds;
  request.skip = options.flags.launch_skip;
  request.count = options.flags.launch_count;
  request.name_base = options.flags.name_base;
  request.skip_before_match = options.flags.launch_skip_before_match;
  request.witness = !options.no_witness;
  request.check_races = options.check_races;
  request.store = !options.flags.no_store;
  request.engine = options.kernel.engine;
  WL_TRY(const profile::LaunchFilter checked, launch_filter(options.flags, options.kernel.kernel));
  WL_TRY(ProgramRun ran, run_program(session, request));
  for (Profile& made : ran.profiles) made.version = WL_VERSION;
  WL_TRY_STATUS(print_profiles(session, shown, ran.profiles));
  if (ran.exit_code != 0) session.exit_code = ran.exit_code;
  return {};
}

/// From the store, or made and kept there.
Result<Profile> find_or_make(Session& session, const CLI::App& command,
                             const ProfileOptions& options) {
  WL_TRY(const Gpu gpu, load_gpu(options.gpu));
  KernelOptions kernel = options.kernel;
  if (kernel.arch.empty()) kernel.arch = gpu.architecture.id;
  ProfileStore kept(session, !options.flags.no_store);
  WL_TRY(const std::string ptx, load_ptx(kernel, kept.store()));
  const ProfileQuestion question{command, kernel, ptx, gpu, options.gpu, !options.no_witness};
  if (std::optional<Profile> found = kept.find(question)) return *std::move(found);
  WL_TRY(Profile made, make(session, options, kernel, gpu, ptx));
  kept.keep(question, made);
  return made;
}

Status profile_kernel(Session& session, const CLI::App& command, const ProfileOptions& options) {
  ProfileOutput shown = options.shown;
  for (const std::string& name : shown.metrics) {
    WL_TRY(const profile::Metric known, profile::find_metric(name));
  }
  WL_TRY_STATUS(apply(options.flags, shown));
  if (!options.flags.imported.empty()) {
    return print_imported(session, options.flags, options.kernel.kernel, shown);
  }
  if (!session.program.empty()) return profile_program(session, options, shown);
  WL_TRY_STATUS(require_launch(options.kernel));
  if (options.gpu.empty()) {
    return Diagnostic{.message = "--gpu is required",
                      .hint = "'warpledger profile --help' shows examples",
                      .code = "usage"};
  }
  WL_TRY(profile::LaunchFilter filter, launch_filter(options.flags, {}));
  if (!filter.wants(options.kernel.kernel)) {
    say_nothing_profiled(session);
    return {};
  }
  WL_TRY(const Profile made, find_or_make(session, command, options));
  // What the kernel printed must not stand inside a JSON or CSV answer.
  session.err << made.output;
  return print_profiles(session, shown, {made});
}

/// What the kernel runs on, and what its program asked of it.
void add_machine_options(CLI::App& command, ProfileOptions& options) {
  command.add_option("--gpu", options.gpu,
                     "a GPU of 'warpledger gpus', or your own ./file.toml; a100-80 for a program "
                     "when absent");
  command
      .add_option("--regs,--registers", options.registers,
                  "registers per thread, instead of ptxas's")
      ->check(CLI::Range(1, 255));
  command.add_option("--prefer", options.prefer, "the program's cache preference: none, shared")
      ->check(CLI::IsMember({"none", "shared"}));
  command
      .add_option("--carveout", options.carveout,
                  "shared memory per SM that the program asked for, in KiB")
      ->check(CLI::Range(0, 1024));
}

void add_shown_options(CLI::App& command, ProfileOutput& shown) {
  command.add_option("--page", shown.page, "details, raw or source")
      ->check(CLI::IsMember({"details", "raw", "source"}))
      ->capture_default_str();
  command.add_option("--metrics", shown.metrics, "only these, by ncu's names: a,b")->delimiter(',');
  command.add_flag("--csv", shown.csv, "ncu's CSV, for scripts that read it");
  command
      .add_option("--print-units", shown.units,
                  "auto (Kbyte, ms) or base (byte, ns; of the raw page)")
      ->check(CLI::IsMember({"auto", "base"}));
}

/// How the launch is run and replayed.
void add_model_options(CLI::App& command, ProfileOptions& options) {
  add_values_option(command, options.kernel, "compute what no address depends on: auto, on, off");
  command
      .add_option(
          "--cache-control", options.cache_control,
          "all: caches are empty at the start, as under ncu; none: the L2 holds what the same "
          "launch left, run just before")
      ->check(CLI::IsMember({"all", "none"}))
      ->capture_default_str();
  command.add_flag("--no-witness", options.no_witness,
                   "do not ask ptxas: count the PTX's instructions");
  command.add_option("--seed", options.seed, "of the order in which SMs advance")
      ->capture_default_str();
  command.add_flag("--racecheck", options.check_races,
                   "look for races in every block and in global memory, which is slow; else in "
                   "shared memory of up to 64 blocks");
  command.add_flag("--band", options.band,
                   "three orders instead of one: how far values depend on it");
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = add_command(
      app, "profile", "what Nsight Compute would say of a launch, without a GPU", kExamples);
  add_kernel_options(*command, options->kernel, false);
  add_machine_options(*command, *options);
  add_shown_options(*command, options->shown);
  add_model_options(*command, *options);
  add_sampling_options(*command, options->sampling);
  add_profile_flags(*command, options->flags);
  add_report_options(*command, options->shown.html);
  add_output_options(*command, options->shown.output);
  command->callback([options, command, &session] {
    if (const Status status = profile_kernel(session, *command, *options); !status) {
      fail(session, status.error());
    }
  });
}

}  // namespace warpledger::cli
