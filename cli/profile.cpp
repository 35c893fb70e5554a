// `warpledger profile`: what Nsight Compute would say of a launch, without a GPU.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/kernel_options.h"
#include "cli/profile_output.h"
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
  bool band = false, no_witness = false;
  double timeout = 0;
  SamplingFlags sampling;
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
    "      --page raw";

Result<Profile> make(const Session& session, const ProfileOptions& options) {
  WL_TRY(const Gpu gpu, load_gpu(options.gpu));
  KernelOptions kernel = options.kernel;
  if (kernel.arch.empty()) kernel.arch = gpu.architecture.id;
  WL_TRY(const ptx::Module module, load_module(kernel));
  profile::Request request{.module = module, .file = kernel.file, .kernel = kernel.kernel};
  request.gpu = gpu;
  request.gpu_request = options.gpu;
  request.grid = extent_of(kernel.grid);
  request.block = extent_of(kernel.block);
  request.dynamic_shared_bytes = kernel.shared;
  WL_TRY(request.arguments, parse_arguments(kernel));
  request.registers = options.registers;
  request.carveout_kib = options.carveout;
  if (options.prefer == "shared") request.cache = CachePreference::kShared;
  request.policy.schedule.seed = options.seed;
  request.policy.flush_caches = options.cache_control == "all";
  request.witness = !options.no_witness;
  request.orders = options.band ? 3 : 1;
  request.engine.engine = kernel.engine;
  // Counters follow from addresses: what no address depends on need not be computed.
  request.engine.values = kernel.values == exec::Values::kAuto ? exec::Values::kOff : kernel.values;
  request.engine.limits.warp_instructions = kernel.limit;
  request.engine.code_folder = exec::default_code_folder();
  const ProgressLine line(session);
  apply(options.sampling, line, request);
  WL_TRY(Profile made, profile::run(request));
  made.version = WL_VERSION;
  return made;
}

Status profile_program(Session& session, const ProfileOptions& options) {
  ProgramRequest request{.command = session.program, .gpu = options.gpu};
  request.kernels = options.kernel.kernel;
  request.timeout = options.timeout;
  request.witness = !options.no_witness;
  request.engine = options.kernel.engine;
  WL_TRY(ProgramRun ran, run_program(session, request));
  for (Profile& made : ran.profiles) made.version = WL_VERSION;
  WL_TRY_STATUS(print_profiles(session, options.shown, ran.profiles));
  if (ran.exit_code != 0) session.exit_code = ran.exit_code;
  return {};
}

Status check_kernel_options(const ProfileOptions& options) {
  const KernelOptions& kernel = options.kernel;
  const char* missing = kernel.file.empty()     ? "a file or a program"
                        : options.gpu.empty()   ? "--gpu"
                        : kernel.kernel.empty() ? "--kernel"
                        : kernel.grid.empty()   ? "--grid"
                        : kernel.block.empty()  ? "--block"
                                                : nullptr;
  if (missing == nullptr) return {};
  return Diagnostic{.message = fmt::format("profile needs {}", missing),
                    .hint = "see warpledger profile --help",
                    .code = "usage"};
}

Status profile_kernel(Session& session, const ProfileOptions& options) {
  for (const std::string& name : options.shown.metrics) {
    WL_TRY(const profile::Metric known, profile::find_metric(name));
  }
  if (!session.program.empty()) return profile_program(session, options);
  WL_TRY_STATUS(check_kernel_options(options));
  WL_TRY(const Profile made, make(session, options));
  // What the kernel printed must not stand inside a JSON or CSV answer.
  session.err << made.output;
  return print_profile(session, options.shown, made);
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = add_command(
      app, "profile", "what Nsight Compute would say of a launch, without a GPU", kExamples);
  add_kernel_options(*command, options->kernel);
  for (const char* name : {"file", "--kernel", "--grid", "--block"})
    command->get_option(name)->required(false);  // a program says these itself
  command->add_option("--gpu", options->gpu,
                      "a GPU of 'warpledger gpus', or your own ./file.toml; a100-80 for a program "
                      "when absent");
  command
      ->add_option("--timeout", options->timeout,
                   "of a program: seconds that a launch may take before it is stopped")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--regs,--registers", options->registers,
                   "registers per thread, instead of ptxas's")
      ->check(CLI::Range(1, 255));
  command->add_option("--prefer", options->prefer, "the program's cache preference: none, shared")
      ->check(CLI::IsMember({"none", "shared"}));
  command
      ->add_option("--carveout", options->carveout,
                   "shared memory per SM that the program asked for, in KiB")
      ->check(CLI::Range(0, 1024));
  command->add_option("--page", options->shown.page, "details, raw or source")
      ->check(CLI::IsMember({"details", "raw", "source"}))
      ->capture_default_str();
  command->add_option("--metrics", options->shown.metrics, "only these, by ncu's names: a,b")
      ->delimiter(',');
  command->add_flag("--csv", options->shown.csv, "ncu's CSV, for scripts that read it");
  command
      ->add_option("--print-units", options->shown.units,
                   "auto (Kbyte, ms) or base (byte, ns; of the raw page)")
      ->check(CLI::IsMember({"auto", "base"}));
  const std::map<std::string, exec::Values> values = {
      {"auto", exec::Values::kAuto}, {"on", exec::Values::kOn}, {"off", exec::Values::kOff}};
  command
      ->add_option("--values", options->kernel.values,
                   "compute what no address depends on: auto, on, off")
      ->transform(CLI::CheckedTransformer(values, CLI::ignore_case))
      ->option_text("auto|on|off");
  command
      ->add_option("--cache-control", options->cache_control,
                   "all: caches are empty at the start, as under ncu; none: not modelled yet")
      ->check(CLI::IsMember({"all", "none"}))
      ->capture_default_str();
  command->add_flag("--no-witness", options->no_witness,
                    "do not ask ptxas: count the PTX's instructions");
  command->add_option("--seed", options->seed, "of the order in which SMs advance")
      ->capture_default_str();
  command->add_flag("--band", options->band,
                    "three orders instead of one: how far values depend on it");
  add_sampling_options(*command, options->sampling);
  add_output_options(*command, options->shown.output);
  command->callback([options, &session] {
    if (const Status status = profile_kernel(session, *options); !status) {
      fail(session, status.error());
    }
  });
}

}  // namespace warpledger::cli
