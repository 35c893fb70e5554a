// `warpledger profile`: predict what Nsight Compute would report for a launch, without a GPU.
#include "cli/commands/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/commands/program.h"
#include "cli/commands/serve.h"
#include "cli/options/open_store.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/version.h"
#include "warpledger/base/file.h"
#include "warpledger/base/number.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/run/run_statistics.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

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
    "  warpledger profile --import k.wlrep --page source\n"
    "  warpledger profile --batch requests.jsonl";

/// Launches run in the program's own process: what it took there is one phase.
Result<ProgramRun> run_timed(Session& session, const ProgramRequest& request,
                             profile::RunStatistics& statistics) {
  const Stopwatch::Phase timed(&statistics.watch, profile::phase::kProgram);
  WL_TRY(ProgramRun ran, run_program(session, request));
  for (const Profile& made : ran.profiles)
    statistics.modeled += std::max<uint64_t>(1, made.launches.modeled);
  statistics.bare = ran.launches - std::min(ran.launches, statistics.modeled);
  return ran;
}

Status profile_program(Session& session, const ProfileOptions& options, const ProfileOutput& shown,
                       profile::RunStatistics& statistics) {
  const QueryFlags& query = options.query;
  ProgramRequest request{.command = session.program, .gpu = query.gpu};
  request.kernels = query.kernel.kernel;
  request.timeout = query.options.timeout_seconds;
  request.skip = options.flags.launch_skip;
  request.count = options.flags.launch_count;
  request.name_base = query.name_base;
  request.skip_before_match = options.flags.launch_skip_before_match;
  request.sass = !query.no_sass;
  request.sampling = sampling_of(query.sampling);
  request.check_races = query.options.check_races;
  request.continue_on_error = query.options.continue_on_error;
  request.store = !options.flags.no_store;
  request.all_launches = options.flags.all_launches;
  request.trials = options.flags.trials;
  request.devices = options.flags.devices;
  request.trace = options.flags.trace;
  request.code = wants_machine_code(shown);
  request.torch_allocator = options.flags.torch_allocator;
  request.ranges = options.flags.ranges;
  request.aten = options.flags.aten;
  request.isolate = options.flags.isolate;
  request.verbose = options.flags.verbose;
  request.engine = query.kernel.engine;
  WL_TRY(ProgramRun ran, run_timed(session, request, statistics));
  for (Profile& made : ran.profiles) made.version = WL_VERSION;
  ProfileOutput all = shown;
  all.is_list = true;
  all.ncu.texts = std::move(ran.texts);
  WL_TRY_STATUS(print_profiles(session, all, ran.profiles));
  if (ran.exit_code != 0) session.exit_code = ran.exit_code;
  return {};
}

/// From the store, or made and kept there.
Result<profile::QueryAnswer> find_or_make(Session& session, const ProfileOptions& options,
                                          profile::RunStatistics& statistics) {
  std::optional<store::Store> store = open_store(session, !options.flags.no_store);
  const ProgressLine line(session);
  profile::Listeners listeners{.statistics = options.flags.stats ? &statistics : nullptr};
  if (line.is_on())
    listeners.progress = [&line](uint64_t started, uint64_t all) { line.show(started, all); };
  WL_TRY(profile::QueryAnswer answer,
         profile::answer(query_of(options.query), pointer_to(store), listeners));
  for (const exec::BadAccess& bad : answer.bad_accesses)
    session.err << to_text(exec::describe(bad));
  if (answer.not_kept) say_not_kept(session, *answer.not_kept);
  say_refused(session, pointer_to(store));
  if (answer.from_store && !session.quiet) {
    session.err << "answered from the store (--no-store runs it again)\n";
  }
  if (options.flags.verbose) {
    session.err << fmt::format("compiled to native code in {:.1f} s\n",
                               answer.profile.compile_seconds);
  }
  return answer;
}

/// Beside the answer, on standard error, so that this one stays what it is.
void print_statistics(Session& session, const ProfileOptions& options,
                      const profile::RunStatistics& statistics) {
  if (!options.flags.stats) return;
  const Report report{.command = "profile --stats",
                      .tables = {profile::phase_table(statistics), work_table(statistics)}};
  const OutputOptions& how = options.shown.output;
  session.err << render(report, how.json ? Format::kJson : *parse_format(how.format));
}

void print_trace(Session& session, const OutputOptions& options, const profile::CacheTrace& trace,
                 const Profile& profile) {
  Answer answer{.report = {.command = "profile --trace-cache",
                           .verdict = lines_of(trace, profile),
                           .tables = {table_of(trace, profile)}}};
  if (trace.seen > trace.accesses.size()) {
    answer.report.remarks = {
        fmt::format("{} more: first=NUMBER shows them",
                    group_thousands(static_cast<int64_t>(trace.seen - trace.accesses.size())))};
  }
  print(session, options, answer);
}

/// Fails, naming the first of the options that was given.
template <size_t kCount>
Status refuse(
    const Command& command, const char* const (&names)[kCount], const char* of,
    const char* hint = "profile the kernel's file: FILE --kernel NAME --grid ... --arg ...") {
  for (const char* name : names) {
    if (command.get_option(name)->count() == 0) continue;
    return Diagnostic{.message = fmt::format("{} does not work with {}", name, of),
                      .hint = hint,
                      .code = "usage"};
  }
  return {};
}

// A trace is made while a launch runs.
constexpr const char* kOfARun[] = {"--trace-cache", "--trace", "--devices", "--isolate"};
constexpr const char* kOfAProgram[] = {"--devices", "--isolate"};
// What a program says itself, or what its launches do not heed.
constexpr const char* kOfAFile[] = {
    "--trace-cache", "--grid", "--block", "--cluster", "--smem",          "--arg",
    "--arch",        "--nvcc", "--limit", "--values",  "--regs",          "--prefer",
    "--carveout",    "--seed", "--band",  "--threads", "--cache-control", "--no-isolation"};

constexpr const char* kChooseWhileRunning =
    "ranges choose launches while a program runs: warpledger profile [options] ./app";

/// Of a kernel's file, which runs here.
Status profile_file(Session& session, const ProfileOptions& options, const ProfileOutput& shown,
                    profile::RunStatistics& statistics) {
  WL_TRY_STATUS(require_launch(options.query.kernel));
  if (options.query.gpu.empty()) {
    return Diagnostic{.message = "--gpu is required",
                      .hint = "'warpledger profile --help' shows examples",
                      .code = "usage"};
  }
  WL_TRY(profile::LaunchFilter any, launch_filter(options.flags, {}));
  if (!any.wants(options.query.kernel.kernel)) {
    say_nothing_profiled(session);
    return {};
  }
  WL_TRY(const profile::QueryAnswer made, find_or_make(session, options, statistics));
  // Output of the kernel must not be mixed into JSON or CSV output.
  session.err << made.profile.output;
  const Stopwatch::Phase timed(&statistics.watch, profile::phase::kPrint);
  ProfileOutput output = shown;
  output.ncu.kernel = query_of(options.query).what.file;
  output.trace = options.flags.trace;
  if (!made.trace) return print_profiles(session, output, {made.profile});
  print_trace(session, shown.output, *made.trace, made.profile);
  return {};
}

/// From a report, a program or a kernel's file.
Status profile_any(Session& session, const ProfileOptions& options, const ProfileOutput& shown,
                   profile::RunStatistics& statistics) {
  const profile::NameBase base = *profile::parse_name_base(options.query.name_base);
  WL_TRY(const profile::LaunchFilter chosen,
         launch_filter(options.flags, options.query.kernel.kernel, base));
  if (!options.flags.imported.empty()) {
    WL_TRY_STATUS(refuse(*options.command, kOfARun, "--import"));
    WL_TRY_STATUS(refuse(*options.command, kRangeOptions, "--import", kChooseWhileRunning));
    return print_imported(session, options.flags, chosen, shown);
  }
  if (!session.program.empty()) {
    WL_TRY_STATUS(refuse(*options.command, kOfAFile, "a program"));
    return profile_program(session, options, shown, statistics);
  }
  WL_TRY_STATUS(
      refuse(*options.command, kOfAProgram, "a kernel's file",
             "profile the program that launches the kernel: warpledger profile [options] ./app"));
  WL_TRY_STATUS(refuse(*options.command, kRangeOptions, "a kernel's file", kChooseWhileRunning));
  return profile_file(session, options, shown, statistics);
}

void add_shown_options(Command& command, ProfileOutput& shown) {
  command.add_option("--page", shown.page, "details, raw or source")
      ->one_of({"details", "raw", "source"})
      ->capture_default_str();
  command
      .add_option("--print-source", shown.source_view,
                  "view of the source page: sass, ptx, cuda, or cuda,sass (source lines with their "
                  "SASS)")
      ->one_of({"sass", "ptx", "cuda", "cuda,sass"});
  command.add_option("--metrics", shown.metrics, "print only these metrics (ncu's names): a,b")
      ->delimiter(',');
  command
      .add_option("--explain", shown.explain,
                  "show how these metrics are computed: formula, counters, instructions, source "
                  "lines, rule, source, error: a,b")
      ->type_name("METRIC")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->group("Debug a number");
  command.add_flag("--explain-brief", shown.brief,
                   "explain each launch in 15 lines: what limits it, why, what to change, what "
                   "that gives (as `warpledger explain`)");
  command.add_flag("--csv", shown.csv, "print CSV in ncu's format");
  command
      .add_option("--print-units", shown.units,
                  "auto (Kbyte, ms) or base (byte, ns; for the raw page)")
      ->one_of({"auto", "base"});
  command
      .add_option("--print-summary", shown.summary,
                  "minimum, maximum and mean of each metric over launches: per-kernel, per-gpu")
      ->one_of({"none", "per-kernel", "per-gpu"})
      ->capture_default_str();
}

/// Requests that say themselves what to profile.
void add_batch_options(Command& command, BatchOptions& batch) {
  command
      .add_option("--batch", batch.file,
                  "answer a file of requests, one JSON object per line, with one line each; -: "
                  "standard input")
      ->type_name("FILE.jsonl")
      ->group("Many");
  command.add_option("--jobs", batch.jobs, "with --batch: requests at a time; 0: all processors")
      ->group("Many");
}

// Options allowed with --batch; everything else is part of each request.
constexpr const char* kOfOneLaunch[] = {"--import", "--kernel", "--gpu",    "--grid",
                                        "--block",  "--arg",    "--output", "--metrics"};

Status profile_batch(Session& session, const ProfileOptions& options, BatchOptions batch) {
  WL_TRY_STATUS(refuse(*options.command, kOfOneLaunch, "--batch", "each line says it itself"));
  batch.store = !options.flags.no_store;
  batch.isolate = !options.query.no_isolation;
  if (const double seconds = options.query.options.timeout_seconds; seconds > 0)
    batch.seconds = seconds;
  return answer_batch(session, batch);
}

}  // namespace

namespace {

Status profile_here(Session& session, const ProfileOptions& options) {
  ProfileOutput shown = options.shown;
  for (const auto* names : {&shown.metrics, &shown.explain}) {
    for (const std::string& name : *names) {
      WL_TRY(const profile::Metric known, profile::find_metric(name));
    }
  }
  WL_TRY_STATUS(apply(options.flags, shown));
  profile::RunStatistics statistics;
  WL_TRY_STATUS(profile_any(session, options, shown, statistics));
  print_statistics(session, options, statistics);
  return {};
}

}  // namespace

Status profile_kernel(Session& session, const ProfileOptions& options) {
  const std::string& file = options.flags.log_file;
  if (file.empty() || file == "stdout") return profile_here(session, options);
  std::ostringstream printed;
  Session logged{file == "stderr" ? session.err : printed,
                 session.err,
                 false,
                 session.quiet,
                 session.exit_code,
                 session.program};
  const Status status = profile_here(logged, options);
  session.exit_code = logged.exit_code;
  if (!status) return status.error();
  return file == "stderr" ? Status{} : write_file(file, printed.str());
}

void add_profile_options(Command& command, ProfileOptions& options) {
  options.command = command;
  add_query_options(command, options.query);
  add_profile_flags(command, options.flags);
  add_report_options(command, options.shown.html);
  add_ci_options(command, options.shown.ci);
  add_output_options(command, options.shown.output);
}

void add_profile(Command& app, Session& session) {
  auto options = std::make_shared<ProfileOptions>();
  auto batch = std::make_shared<BatchOptions>();
  Command command = add_command(
      app, "profile", "predict what Nsight Compute would report for a launch, without a GPU",
      kExamples);
  add_profile_options(*command, *options);
  add_shown_options(*command, options->shown);
  add_batch_options(*command, *batch);
  command->callback([options, batch, &session] {
    const Status status = batch->file.empty() ? profile_kernel(session, *options)
                                              : profile_batch(session, *options, *batch);
    if (!status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
