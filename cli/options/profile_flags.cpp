#include "cli/options/profile_flags.h"

#include <fmt/core.h>

#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/profile/file/kept_texts.h"
#include "warpledger/profile/file/report_file.h"

namespace warpledger::cli {
namespace {

using profile::KernelPattern;
using profile::LaunchFilter;
using profile::Profile;

constexpr const char* kGroup = "As in ncu";

}  // namespace

void add_profile_flags(Command& command, ProfileFlags& flags) {
  command
      .add_option("-s,--launch-skip", flags.launch_skip,
                  "matching launches to skip before profiling")
      ->group(kGroup);
  command
      .add_option("--launch-skip-before-match", flags.launch_skip_before_match,
                  "launches (of any kernel) to skip before profiling")
      ->group(kGroup);
  command.add_option("-c,--launch-count", flags.launch_count, "matching launches to profile")
      ->group(kGroup);
  command
      .add_option("--section", flags.sections,
                  "only this section of the details page: SpeedOfLight, Occupancy, ...,\n"
                  "MemoryWorkloadAnalysis_Tables, or regex:EXPRESSION; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->group(kGroup);
  command
      .add_option("-o,--output", flags.report,
                  "also write a report: FILE.html for a browser, FILE.ncu-rep for Nsight Compute, "
                  "else a file for --import (.wlrep if FILE has no extension)")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("-f,--force-overwrite", flags.force, "accepted: -o always overwrites")
      ->group(kGroup);
  command
      .add_option("--import", flags.imported,
                  "print a report written by -o (.wlrep, .ncu-rep); run nothing")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--log-file", flags.log_file,
                  "print to FILE; stdout and stderr are those of this command")
      ->type_name("FILE")
      ->group(kGroup);
  add_range_flags(command, flags.ranges);
  command.add_flag("--no-pages", flags.no_pages, "with -o: write the report and print nothing")
      ->group(kGroup);
  command.add_flag("--no-store", flags.no_store,
                   "do not use stored results, and do not store this one");
  command.add_flag("--all-launches", flags.all_launches,
                   "for a program: model every launch, including repetitions of an earlier one");
  command.add_flag(
      "--trials", flags.trials,
      "for a program: also show an autotuner's trial launches, with their configurations");
  command
      .add_option(
          "--trace", flags.trace,
          "also write a timeline for Perfetto or chrome://tracing: of a program its kernels "
          "and copies, of a kernel's file its thread blocks on a simulated SM")
      ->type_name("FILE.json");
  command
      .add_option("--devices", flags.devices,
                  "for a program: number of GPUs that it sees, 1 to 8 (default 1)")
      ->between(1, 8);
  command.add_flag("--isolate", flags.isolate,
                   "for a program: it and what it starts cannot change your files (only a "
                   "temporary folder)\nor use the network; results and code are not stored");
  command
      .add_option(
          "--aten", flags.aten,
          "for a PyTorch program: what computes PyTorch's own operators: its CPU kernels, which "
          "are\nnot profiled (cpu, the default), or its CUDA kernels as machine code, "
          "profiled (gpu;\nGPUs of sm_75 to sm_120)")
      ->one_of({"cpu", "gpu"});
  command.add_flag("--torch-allocator", flags.torch_allocator,
                   "for a PyTorch program: keep its caching allocator (writes past the end of a "
                   "tensor are then not detected)");
  command.add_flag("-v,--verbose", flags.verbose,
                   "print how long each launch took, and how much of that was compiling");
  command
      .add_flag("--stats", flags.stats,
                "print to standard error where warpledger's own time went, and what it did")
      ->group("Debug a number");
}

Result<LaunchFilter> launch_filter(const ProfileFlags& flags, const std::string& pattern,
                                   profile::NameBase base) {
  profile::LaunchSelection selection{.skip_before_match = flags.launch_skip_before_match,
                                     .skip = flags.launch_skip,
                                     .count = flags.launch_count};
  if (!pattern.empty()) {
    WL_TRY(selection.kernel, KernelPattern::parse(pattern, base));
  }
  return LaunchFilter(std::move(selection));
}

Status apply(const ProfileFlags& flags, ProfileOutput& output) {
  WL_TRY(output.sections, profile::choose_sections(flags.sections));
  output.all_sections = flags.sections.empty();
  output.pages = !flags.no_pages || flags.report.empty();
  output.ncu.store = !flags.no_store;
  if (flags.report.empty()) return {};
  const std::filesystem::path path = flags.report;
  if (path.extension() == ".html") {
    output.html.file = flags.report;
  } else if (path.extension() == ".ncu-rep") {
    output.ncu.file = flags.report;
  } else {
    output.report = flags.report + (path.has_extension() ? "" : ".wlrep");
  }
  return {};
}

Status print_imported(Session& session, const ProfileFlags& flags, LaunchFilter filter,
                      const ProfileOutput& output) {
  WL_TRY(std::string text, read_file(flags.imported));
  const Source source(flags.imported, std::move(text));
  WL_TRY(std::vector<Profile> all, profile::read_report(source));
  ProfileOutput shown = output;
  if (wants_machine_code(shown)) shown.ncu.texts = profile::kept_texts(source);
  shown.is_list = all.size() != 1;  // a report of one launch is its profile
  std::erase_if(all, [&](const Profile& one) { return !filter.wants(one.kernel); });
  if (all.empty()) say_nothing_profiled(session);
  return print_profiles(session, shown, all);
}

void say_nothing_profiled(Session& session) {
  if (!session.quiet) session.err << "warning: no kernels were profiled\n";
}

}  // namespace warpledger::cli
