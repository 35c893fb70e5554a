#include "warpledger/cuda/settings.h"

#include <cstdlib>
#include <regex>

#include "warpledger/profile/profile.h"

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

// "void scan<int>(int *, int)" -> "scan".
std::string base_name(const std::string& mangled) {
  std::string name = profile::shown_name(mangled);
  name.resize(std::min(name.find('('), name.size()));
  name.resize(std::min(name.find('<'), name.size()));
  if (const size_t space = name.rfind(' '); space != std::string::npos) name.erase(0, space + 1);
  if (const size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  return name;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.gpu = variable("WARPLEDGER_GPU", settings.gpu);
  settings.report = variable("WARPLEDGER_REPORT");
  settings.kernels = variable("WARPLEDGER_KERNELS");
  settings.skip = number("WARPLEDGER_LAUNCH_SKIP", settings.skip);
  settings.count = number("WARPLEDGER_LAUNCH_COUNT", settings.count);
  settings.timeout = std::strtod(variable("WARPLEDGER_TIMEOUT", "0").c_str(), nullptr);
  settings.witness = variable("WARPLEDGER_WITNESS") != "0";
  settings.verbose = variable("WARPLEDGER_VERBOSE") == "1";
  settings.memory_bytes = number("WARPLEDGER_MEMORY", settings.memory_bytes >> 20) << 20;
  const std::string engine = variable("WARPLEDGER_ENGINE");
  if (engine == "jit") settings.engine = exec::EngineChoice::kJit;
  if (engine == "reference") settings.engine = exec::EngineChoice::kReference;
  return settings;
}

bool takes_kernel(const std::string& pattern, const std::string& mangled) {
  if (pattern.empty()) return true;
  constexpr std::string_view kRegex = "regex:";
  const std::string base = base_name(mangled);
  if (!pattern.starts_with(kRegex)) return base == pattern || mangled == pattern;
  try {
    return std::regex_search(base, std::regex(pattern.substr(kRegex.size())));
  } catch (const std::regex_error&) {
    return false;  // the command has said so already
  }
}

}  // namespace warpledger::cuda
