#include "cli/commands/profile_ncu.h"

#include <fmt/core.h>

#include "cli/options/open_store.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/run/machine_code.h"
#include "warpledger/report/ncu/ncu_report.h"

namespace warpledger::cli {
namespace {

using profile::Profile;

/// What the profile was made of, where it is still to be had.
Result<std::string> find_ptx(Session& session, const NcuReportOptions& options,
                             const Profile& launch) {
  if (options.kernel) {
    std::optional<store::Store> store = open_store(session, options.store);
    profile::KernelFile file = *options.kernel;
    if (file.arch.empty()) file.arch = launch.gpu.architecture.id;
    return profile::load_ptx(file, pointer_to(store));
  }
  if (launch.file.ends_with(".ptx")) return read_file(launch.file);
  return Diagnostic{.message = fmt::format("the PTX of '{}' was not kept", launch.file),
                    .code = "no-code"};
}

/// Of the texts that have a kernel of that name: the profile tells which is its own.
Result<profile::MachineCode> find_among(
    const std::vector<std::shared_ptr<const std::string>>& texts, const Profile& launch,
    bool with_blocks) {
  Result<profile::MachineCode> made = Diagnostic{};
  for (const auto& text : texts) {
    made = profile::machine_code(launch, *text, with_blocks);
    if (made) break;
  }
  return made;
}

report::NcuLaunch launch_of(Session& session, const NcuReportOptions& options,
                            const Profile& launch) {
  report::NcuLaunch made{.profile = launch};
  Result<profile::MachineCode> code = find_machine_code(session, options, launch);
  if (!code) return made.no_code = code.error().message, made;
  made.code = *std::move(code);
  return made;
}

}  // namespace

Result<profile::MachineCode> find_machine_code(Session& session, const NcuReportOptions& options,
                                               const Profile& launch, bool with_blocks) {
  if (!launch.machine) {
    return Diagnostic{
        .message = launch.no_machine.empty() ? "ptxas was not run" : launch.no_machine,
        .code = "no-code"};
  }
  if (const auto own = options.texts.find(launch.kernel); own != options.texts.end())
    return find_among(own->second, launch, with_blocks);
  WL_TRY(const std::string ptx, find_ptx(session, options, launch));
  return profile::machine_code(launch, ptx, with_blocks);
}

Status write_ncu_report(Session& session, const NcuReportOptions& options,
                        const ReportOptions& sources, const std::vector<Profile>& launches) {
  if (options.file.empty()) return {};
  std::vector<report::NcuLaunch> made;
  for (const Profile& launch : launches) {
    made.push_back(launch_of(session, options, launch));
    if (made.back().no_code.empty() || session.quiet) continue;
    session.err << fmt::format("{} has no source page for '{}': {}\n", options.file,
                               profile::short_name(launch.kernel), made.back().no_code);
  }
  const ncu::RepFile file = report::ncu_report(made, find_sources(sources, launches), "");
  return write_file(options.file, ncu::to_bytes(file));
}

}  // namespace warpledger::cli
