// `warpledger profile`: what Nsight Compute would say of a launch, without a GPU.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/commands/profile_output.h"
#include "cli/commands/program.h"
#include "cli/options/open_store.h"
#include "cli/options/profile_flags.h"
#include "cli/options/query_options.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/version.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

struct ProfileOptions {
  QueryFlags query;
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

Status profile_program(Session& session, const ProfileOptions& options,
                       const ProfileOutput& shown) {
  const QueryFlags& query = options.query;
  ProgramRequest request{.command = session.program, .gpu = query.gpu};
  request.kernels = query.kernel.kernel;
  request.timeout = query.options.timeout_seconds;
  request.skip = options.flags.launch_skip;
  request.count = options.flags.launch_count;
  request.name_base = query.name_base;
  request.skip_before_match = options.flags.launch_skip_before_match;
  request.witness = !query.no_witness;
  request.check_races = query.options.check_races;
  request.store = !options.flags.no_store;
  request.all_launches = options.flags.all_launches;
  request.verbose = options.flags.verbose;
  request.engine = query.kernel.engine;
  WL_TRY(ProgramRun ran, run_program(session, request));
  for (Profile& made : ran.profiles) made.version = WL_VERSION;
  ProfileOutput all = shown;
  all.is_list = true;
  WL_TRY_STATUS(print_profiles(session, all, ran.profiles));
  if (ran.exit_code != 0) session.exit_code = ran.exit_code;
  return {};
}

/// From the store, or made and kept there.
Result<Profile> find_or_make(Session& session, const ProfileOptions& options) {
  std::optional<store::Store> store = open_store(session, !options.flags.no_store);
  const ProgressLine line(session);
  profile::Listeners listeners;
  if (line.is_on())
    listeners.progress = [&line](uint64_t started, uint64_t all) { line.show(started, all); };
  WL_TRY(profile::QueryAnswer answer,
         profile::answer(query_of(options.query), pointer_to(store), listeners));
  if (answer.not_kept) say_not_kept(session, *answer.not_kept);
  if (answer.from_store && !session.quiet) {
    session.err << "from the store: the same question was answered before (--no-store runs it "
                   "again)\n";
  }
  if (options.flags.verbose) {
    session.err << fmt::format("compiled to native code in {:.1f} s\n",
                               answer.profile.compile_seconds);
  }
  return std::move(answer.profile);
}

Status profile_kernel(Session& session, const ProfileOptions& options) {
  ProfileOutput shown = options.shown;
  for (const std::string& name : shown.metrics) {
    WL_TRY(const profile::Metric known, profile::find_metric(name));
  }
  WL_TRY_STATUS(apply(options.flags, shown));
  const std::string& kernel = options.query.kernel.kernel;
  const profile::NameBase base = *profile::parse_name_base(options.query.name_base);
  WL_TRY(const profile::LaunchFilter chosen, launch_filter(options.flags, kernel, base));
  if (!options.flags.imported.empty()) return print_imported(session, options.flags, chosen, shown);
  if (!session.program.empty()) return profile_program(session, options, shown);
  WL_TRY_STATUS(require_launch(options.query.kernel));
  if (options.query.gpu.empty()) {
    return Diagnostic{.message = "--gpu is required",
                      .hint = "'warpledger profile --help' shows examples",
                      .code = "usage"};
  }
  WL_TRY(profile::LaunchFilter any, launch_filter(options.flags, {}));
  if (!any.wants(kernel)) {
    say_nothing_profiled(session);
    return {};
  }
  WL_TRY(const Profile made, find_or_make(session, options));
  // What the kernel printed must not stand inside a JSON or CSV answer.
  session.err << made.output;
  return print_profiles(session, shown, {made});
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

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = add_command(
      app, "profile", "what Nsight Compute would say of a launch, without a GPU", kExamples);
  add_query_options(*command, options->query);
  add_shown_options(*command, options->shown);
  add_profile_flags(*command, options->flags);
  add_report_options(*command, options->shown.html);
  add_output_options(*command, options->shown.output);
  command->callback([options, &session] {
    if (const Status status = profile_kernel(session, *options); !status) {
      fail(session, status.error());
    }
  });
}

}  // namespace warpledger::cli
