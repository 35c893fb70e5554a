#include "interpose/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "interpose/host_memory.h"
#include "interpose/ranges.h"
#include "interpose/settings_file.h"
#include "warpledger/base/file.h"

namespace warpledger::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<profile::LaunchSelection> selection_of(const SettingsFile& file) {
  profile::LaunchSelection selection{.skip_before_match = file.launch_skip_before_match,
                                     .skip = file.launch_skip,
                                     .count = file.launch_count};
  const profile::KernelQuery& what = file.query.what;
  if (!what.kernel.empty()) {
    WL_TRY(selection.kernel, profile::KernelPattern::parse(what.kernel, what.name_base));
  }
  return selection;
}

Result<uint64_t> mebibytes(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc{} && read.ptr == end && number <= kMostMemoryMib) return number;
  return Diagnostic{.message = fmt::format("WARPLEDGER_MEMORY is '{}'", text),
                    .hint = fmt::format("it is a number of MiB, at most {}", kMostMemoryMib),
                    .code = "bad-settings"};
}

/// In whole steps, so that small changes of the host's load do not show.
uint64_t default_memory() {
  constexpr uint64_t kStep = uint64_t{256} << 20;
  return std::min(kAssumedMemory, std::max(kStep, available_host_bytes() / kStep * kStep));
}

}  // namespace

Result<Settings> settings_of(const SettingsFile& file) {
  Settings settings;
  if (!file.query.gpu.empty()) settings.gpu = file.query.gpu;
  settings.report = file.report;
  WL_TRY(settings.selection, selection_of(file));
  WL_TRY(const RangeSelection ranges, ranges_of(file));  // Ranges reads them itself
  settings.all_launches = file.all_launches;
  settings.trials = file.trials;
  settings.trace = file.trace;
  settings.code = file.code;
  settings.progress = file.progress;
  settings.sampling = file.query.options.sampling;
  settings.timeout = file.query.options.timeout_seconds;
  settings.sass = file.query.options.sass;
  settings.check_races = file.query.options.check_races;
  settings.continue_on_error = file.query.options.continue_on_error;
  settings.tools = file.tools;
  settings.store = file.store;
  settings.verbose = file.verbose;
  settings.engine = file.query.options.engine;
  settings.devices = static_cast<int>(file.devices);
  settings.memory_bytes = file.memory_mib ? *file.memory_mib << 20 : default_memory();
  return settings;
}

Result<Settings> read_settings() {
  WL_TRY(SettingsFile file, read_settings_file());
  if (const std::string memory = variable("WARPLEDGER_MEMORY"); !memory.empty()) {
    WL_TRY(file.memory_mib, mebibytes(memory));
  }
  return settings_of(file);
}

}  // namespace warpledger::cuda
