#include "warpledger/report/ncu/ncu_report.h"

#include <fmt/format.h>

#include <set>

#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/metrics/page.h"

namespace warpledger::report {
namespace {

using ncu::RepCode;
using ncu::RepFile;
using ncu::RepResult;
using profile::Profile;

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// ncu looks a source up by the path in the cubin's table of lines; we know its last part.
std::string path_of(const std::string& name, const profile::MachineCode& code) {
  for (const std::string& path : code.files) {
    if (path == name || path.ends_with("/" + name)) return path;
  }
  return name;
}

RepCode code_of(const NcuLaunch& launch, const Sources& sources) {
  const Architecture& architecture = launch.profile.gpu.architecture;
  RepCode code{.ptx = launch.code->ptx,
               .cubin = launch.code->cubin,
               .major = static_cast<uint32_t>(architecture.major),
               .minor = static_cast<uint32_t>(architecture.minor)};
  for (const std::string& name : source_files(launch.profile)) {
    const auto found = sources.find(name);
    if (found != sources.end()) {
      code.files.push_back({path_of(name, *launch.code), joined(found->second)});
    }
  }
  return code;
}

/// Its reference: launches of one module share it.
uint64_t add_code(RepCode code, std::vector<RepCode>& codes) {
  for (const RepCode& known : codes) {
    code.reference = known.reference;
    if (known == code) return known.reference;
  }
  code.reference = codes.size() + 1;
  codes.push_back(std::move(code));
  return codes.size();
}

ncu::RepExtent extent_of(const Extent& extent) {
  return {static_cast<uint64_t>(extent[0]), static_cast<uint64_t>(extent[1]),
          static_cast<uint64_t>(extent[2])};
}

/// What stands before the parameters and template arguments.
std::string function_name(const std::string& shown) {
  return shown.substr(0, std::min(shown.find('('), shown.find('<')));
}

RepResult result_of(const NcuLaunch& launch, uint64_t place) {
  const Profile& profile = launch.profile;
  const std::string shown = profile::shown_name(profile.kernel);
  const auto& ranges = profile.launches.ranges;
  RepResult result{.mangled = profile.kernel,
                   .function = function_name(shown),
                   .demangled = shown,
                   .grid = extent_of(profile.launch.grid),
                   .block = extent_of(profile.launch.block),
                   .id = ranges.empty() ? place : ranges.front().first,
                   .major = static_cast<uint32_t>(profile.gpu.architecture.major)};
  result.comment = ncu_notice(profile);
  if (!launch.code) result.comment += "\nIt holds no code: " + launch.no_code + ".";
  result.metrics = ncu_metrics(launch);
  result.sections = ncu_sections(profile);
  result.rules = ncu_rules(profile);
  result.record = profile::to_record(profile);
  return result;
}

void describe(const std::vector<NcuLaunch>& launches, const std::string& command, RepFile& file) {
  ncu::RepSession& session = file.session;
  session.host = "127.0.0.1";
  session.process = "warpledger-prediction";
  session.command = command;
  std::set<std::string> seen;
  for (size_t i = 0; i < launches.size(); ++i) {
    const Gpu& gpu = launches[i].profile.gpu;
    if (!seen.insert(gpu.name).second) continue;
    session.devices.push_back(ncu_device(gpu));
    session.devices.back().id = session.devices.size() - 1;
    session.comment += (session.comment.empty() ? "" : "\n") + file.results[i].comment;
  }
  if (launches.empty()) return;
  session.executable = launches.front().profile.file;
  session.versions = {
      {"warpledger", launches.front().profile.version + " (a prediction: no GPU was asked)"}};
}

}  // namespace

std::string ncu_notice(const Profile& profile) {
  std::vector<std::string> known;
  for (const ncu::RepSection& section : ncu_sections(profile)) {
    for (const ncu::RepLine& line : section.lines) known.push_back(line.metric);
  }
  return fmt::format("Predicted by warpledger {} for {}: no GPU ran this launch. Fidelity: {}.",
                     profile.version, profile.gpu.name, profile::fidelity_line(profile, known));
}

RepFile ncu_report(const std::vector<NcuLaunch>& launches, const Sources& sources,
                   const std::string& command) {
  RepFile file;
  for (size_t i = 0; i < launches.size(); ++i) {
    file.results.push_back(result_of(launches[i], i));
    if (!launches[i].code) continue;
    file.results.back().code = add_code(code_of(launches[i], sources), file.codes);
  }
  describe(launches, command, file);
  return file;
}

}  // namespace warpledger::report
