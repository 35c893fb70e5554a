#include "warpledger/compare/kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/ncu/rep_file.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::match {
namespace {

/// The first word that is in no comment.
std::string_view first_word(std::string_view text) {
  while (!text.empty()) {
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (text.front() != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

/// ncu prints names without their result and namespaces: the part before the parameters.
std::string name_of(const ncu::Launch& launch) {
  return launch.kernel.substr(0, std::min(launch.kernel.find('('), launch.kernel.find('<')));
}
std::string name_of(const profile::Profile& profile) { return profile.kernel; }

template <class Launch>
Result<std::vector<Launch>> chosen(std::vector<Launch> all, const std::string& pattern,
                                   const std::string& file) {
  if (!pattern.empty()) {
    WL_TRY(const profile::KernelPattern wanted, profile::KernelPattern::parse(pattern));
    std::erase_if(all, [&](const Launch& one) { return !wanted.matches(name_of(one)); });
  }
  if (!all.empty()) return all;
  return Diagnostic{.message = pattern.empty()
                                   ? fmt::format("'{}' has no launch", file)
                                   : fmt::format("'{}' has no launch of '{}'", file, pattern),
                    .code = "unknown-kernel"};
}

}  // namespace

Kind kind_of(const Source& source) {
  if (ncu::is_rep_file(source.text())) {
    return profile::read_report(source) ? Kind::kProfile : Kind::kHardware;
  }
  const std::string_view word = first_word(source.text());
  if (word == "program") return Kind::kPlan;
  if (!word.starts_with('{') && !word.starts_with('[')) return Kind::kHardware;
  return profile::is_profile_json(source.text()) ? Kind::kProfile : Kind::kLedger;
}

Result<std::vector<profile::Profile>> chosen_profiles(const Source& source,
                                                      const std::string& pattern) {
  WL_TRY(std::vector<profile::Profile> all, profile::read_report(source));
  return chosen(std::move(all), pattern, source.name());
}

Result<std::vector<ncu::Launch>> chosen_launches(const Source& source, const std::string& pattern) {
  WL_TRY(std::vector<ncu::Launch> all, ncu::read_report(source));
  return chosen(std::move(all), pattern, source.name());
}

}  // namespace warpledger::match
