// `warpledger profile`: what Nsight Compute would say of a launch, without a GPU.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/kernel_options.h"
#include "cli/profile_html.h"
#include "cli/profile_output.h"
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
  ProfileOutput shown;
  ReportOptions report;
};

constexpr const char* kExamples =
    "  warpledger profile matmul.cu --kernel matmul_naive --gpu rtx3090 --grid 8,8 --block 16,16 "
    "\\\n"
    "      --arg A=f32[128x128]:random --arg B=f32[128x128]:random --arg C=f32[128x128] \\\n"
    "      --arg i32:128 --arg i32:128 --arg i32:128\n"
    "  warpledger profile kernel.ptx -k k --gpu a100 --grid 64 --block 256 --arg f32[16384] --csv "
    "\\\n"
    "      --page raw";

Result<Profile> make(const ProfileOptions& options) {
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
  WL_TRY(Profile made, profile::run(request));
  made.version = WL_VERSION;
  return made;
}

Status profile_kernel(Session& session, const ProfileOptions& options) {
  for (const std::string& name : options.shown.metrics) {
    WL_TRY(const profile::Metric known, profile::find_metric(name));
  }
  WL_TRY(const Profile made, make(options));
  // What the kernel printed must not stand inside a JSON or CSV answer.
  session.err << made.output;
  WL_TRY_STATUS(write_report(options.report, {made}));
  return print_profile(session, options.shown, made);
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = add_command(
      app, "profile", "what Nsight Compute would say of a launch, without a GPU", kExamples);
  add_kernel_options(*command, options->kernel);
  command->add_option("--gpu", options->gpu, "a GPU of 'warpledger gpus', or your own ./file.toml")
      ->required();
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
  add_report_options(*command, options->report);
  add_output_options(*command, options->shown.output);
  command->callback([options, &session] {
    if (const Status status = profile_kernel(session, *options); !status) {
      fail(session, status.error());
    }
  });
}

}  // namespace warpledger::cli
