#include "cli/options/report_name.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace warpledger::cli {
namespace {

constexpr char kNumber = '\n';  // where %i goes, once the rest is known

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

/// The value of the macro after the % at `at`; moves `at` to its last character.
std::optional<std::string> expanded(const std::string& pattern, size_t& at) {
  switch (at < pattern.size() ? pattern[at] : '\0') {
    case '%':
      return "%";
    case 'h':
      return host_name();
    case 'p':
      return std::to_string(getpid());
    case 'i':
      return std::string(1, kNumber);
    case 'q': {
      const size_t end = pattern.find('}', at);
      if (pattern.compare(at + 1, 1, "{") != 0 || end == std::string::npos) return {};
      const char* value = std::getenv(pattern.substr(at + 2, end - at - 2).c_str());
      at = end;
      return value == nullptr ? "" : value;
    }
    default:
      return {};
  }
}

std::string with_ending(const std::string& name, const std::string& ending) {
  return name.ends_with(ending) ? name : name + ending;
}

/// The first number from 1 whose file is not there.
std::string numbered(const std::string& name, const std::string& ending) {
  const size_t at = name.find(kNumber);
  if (at == std::string::npos) return with_ending(name, ending);
  for (uint64_t number = 1;; ++number) {
    std::string made = name;
    made.replace(at, 1, std::to_string(number));
    made = with_ending(made, ending);
    std::error_code ignored;
    if (!std::filesystem::exists(made, ignored)) return made;
  }
}

}  // namespace

Result<std::string> report_name(const std::string& pattern, const std::string& ending) {
  std::string name;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const std::optional<std::string> made = expanded(pattern, ++at);
    if (!made || (*made == std::string(1, kNumber) && name.find(kNumber) != std::string::npos))
      return Diagnostic{.message = fmt::format("'{}' is not a name for a report", pattern),
                        .hint = "%h host, %p process, %q{NAME} variable, %i number (once), %%",
                        .code = "usage"};
    name += *made;
  }
  return numbered(name, ending);
}

}  // namespace warpledger::cli
