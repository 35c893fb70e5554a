#include "interpose/settings.h"

#include <cstdlib>

namespace warpledger::cuda {
namespace {

std::string variable(const char* name, std::string otherwise = {}) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == 0 ? std::move(otherwise) : std::string(value);
}

uint64_t number(const char* name, uint64_t otherwise) {
  const std::string text = variable(name);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

/// The command has refused a pattern that is none; such a one takes every kernel here.
profile::LaunchSelection read_selection() {
  profile::LaunchSelection selection;
  const auto base = profile::parse_name_base(variable("WARPLEDGER_KERNEL_NAME_BASE", "function"));
  const std::string pattern = variable("WARPLEDGER_KERNELS");
  if (!pattern.empty()) {
    auto parsed =
        profile::KernelPattern::parse(pattern, base.value_or(profile::NameBase::kFunction));
    if (parsed) selection.kernel = *std::move(parsed);
  }
  selection.skip_before_match = number("WARPLEDGER_LAUNCH_SKIP_BEFORE_MATCH", 0);
  selection.skip = number("WARPLEDGER_LAUNCH_SKIP", 0);
  if (!variable("WARPLEDGER_LAUNCH_COUNT").empty()) {
    selection.count = number("WARPLEDGER_LAUNCH_COUNT", 0);
  }
  return selection;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.gpu = variable("WARPLEDGER_GPU", settings.gpu);
  settings.report = variable("WARPLEDGER_REPORT");
  settings.selection = read_selection();
  settings.timeout = std::strtod(variable("WARPLEDGER_TIMEOUT", "0").c_str(), nullptr);
  settings.witness = variable("WARPLEDGER_WITNESS") != "0";
  settings.check_races = variable("WARPLEDGER_RACECHECK") == "1";
  settings.tools = variable("WARPLEDGER_TOOLS");
  settings.store = variable("WARPLEDGER_NO_STORE") != "1";
  settings.verbose = variable("WARPLEDGER_VERBOSE") == "1";
  settings.all_launches = variable("WARPLEDGER_ALL_LAUNCHES") == "1";
  settings.progress = variable("WARPLEDGER_PROGRESS") == "1";
  settings.memory_bytes = number("WARPLEDGER_MEMORY", settings.memory_bytes >> 20) << 20;
  const std::string engine = variable("WARPLEDGER_ENGINE");
  if (engine == "jit") settings.engine = exec::EngineChoice::kJit;
  if (engine == "reference") settings.engine = exec::EngineChoice::kReference;
  return settings;
}

}  // namespace warpledger::cuda
