#include "cli/commands/program_trace.h"

#include <algorithm>
#include <map>

#include "cli/commands/profile_ncu.h"
#include "interpose/chrome_trace.h"
#include "warpledger/base/file.h"

namespace warpledger::cli {
namespace {

constexpr size_t kMostKernels = 32;  // a simulation takes up to a second

/// Names of profiles, of those that take the program's time first.
std::vector<std::string> by_time(const std::vector<cuda::Span>& spans) {
  std::map<std::string, double> seconds;
  for (const cuda::Span& span : spans) {
    if (!span.profile.empty()) seconds[span.profile] += span.seconds;
  }
  std::vector<std::string> names;
  for (const auto& [name, taken] : seconds) names.push_back(name);
  std::ranges::stable_sort(names,
                           [&](const auto& a, const auto& b) { return seconds[a] > seconds[b]; });
  return names;
}

}  // namespace

Status write_program_trace(Session& session, const std::string& file, const std::string& gpu,
                           const cuda::ProgramReport& report) {
  const NcuReportOptions where{.texts = report.texts};
  cuda::BlocksByProfile blocks;
  for (const std::string& name : by_time(report.spans)) {
    if (blocks.size() == kMostKernels) break;
    const auto place = report.by_name.find(name);
    if (place == report.by_name.end()) continue;
    const profile::Profile& launch = report.profiles[place->second];
    Result<profile::MachineCode> code = find_machine_code(session, where, launch, true);
    if (code && launch.timing) blocks[name] = {std::move(code->blocks), launch.timing->sm_hertz};
  }
  return write_file(file, cuda::chrome_trace(report.spans, gpu, blocks));
}

}  // namespace warpledger::cli
