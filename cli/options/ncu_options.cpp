#include "cli/options/ncu_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/options/ncu_option_table.h"
#include "cli/options/report_name.h"
#include "interpose/settings.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cli {
namespace {

using Words = std::vector<std::string>;
using Way = NcuOption::Way;

constexpr const char* kBoostClocks = "\nboost";  // clocks that the GPU chooses itself
constexpr const char* kChart = "\nchart";        // a section that prints nothing

Diagnostic not_honored(std::string_view option, const std::string& value, std::string_view why) {
  return {.message = fmt::format("ncu's {}{} is not honored: {}", option,
                                 value.empty() ? "" : " " + value, why),
          .code = "not-honored"};
}

bool is_one_of(std::string_view words, const std::string& value) {
  return (" " + std::string(words) + " ").find(" " + value + " ") != std::string::npos;
}

void add_sections(std::initializer_list<const char*> ids, Words& made) {
  for (const char* id : ids) made.insert(made.end(), {"--section", id});
}

/// ncu prints the sections of a set; here all are predicted, whatever is printed.
Status add_set(const std::string& set, Words& made) {
  if (set == "full" || set == "detailed") {
    add_sections({"regex:.*"}, made);
  } else if (set == "basic" || set == "default") {
    add_sections({"SpeedOfLight", "LaunchStats", "Occupancy", "WorkloadDistribution"}, made);
  } else if (set == "roofline") {
    add_sections({"SpeedOfLight", "WorkloadDistribution"}, made);
  } else if (set == "source") {
    add_sections({"SourceCounters"}, made);
  } else if (set != "none") {
    return not_honored("--set", set, "its sections are not predicted");
  }
  return {};
}

/// ncu's sections that are pictures: they print nothing.
bool is_chart(const std::string& id) {
  return id.ends_with("RooflineChart") || id == "MemoryWorkloadAnalysis_Chart";
}

/// As ncu: a name without a roll-up is all of the first level, here those that are predicted.
std::string with_suffixes(const std::string& name) {
  if (name.find('.') != std::string::npos || profile::find_metric(name)) return name;
  std::vector<std::string> found;
  for (const char* suffix : {".avg", ".max", ".min", ".sum"}) {
    if (profile::find_metric(name + suffix)) found.push_back(name + suffix);
  }
  return found.empty() ? name : fmt::format("{}", fmt::join(found, ","));
}

/// regex:EXPRESSION is every metric that it is found in.
Result<std::string> expanded(const std::string& name) {
  if (!name.starts_with("regex:")) return with_suffixes(name);
  WL_TRY(const profile::KernelPattern pattern, profile::KernelPattern::parse(name));
  std::vector<std::string> found;
  for (const std::string& one : profile::standard_metrics()) {
    if (pattern.matches(one)) found.push_back(one);
  }
  if (!found.empty()) return fmt::format("{}", fmt::join(found, ","));
  return not_honored("--metrics", name, "it matches no predicted metric");
}

Status add_metrics(const std::string& list, Words& made) {
  std::vector<std::string> names;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    WL_TRY(std::string name, expanded(list.substr(at, end - at)));
    if (name.starts_with("group:") || name.starts_with("breakdown:") ||
        name.starts_with("pmsampling:"))
      return not_honored("--metrics", name, "name the metrics themselves");
    if (!name.empty()) names.push_back(std::move(name));
    at = end + 1;
  }
  made.insert(made.end(), {"--metrics", fmt::format("{}", fmt::join(names, ","))});
  return {};
}

Status add_export(const std::string& name, Words& made) {
  WL_TRY(std::string file, report_name(name, ".ncu-rep"));
  made.insert(made.end(), {"-o", std::move(file)});
  return {};
}

/// context:stream:[regex:]name:invocation. Of one kernel an invocation is a launch to begin at.
Status add_kernel_id(const std::string& id, Words& made) {
  const size_t first = id.find(':'), second = id.find(':', first + 1), last = id.rfind(':');
  if (first == std::string::npos || second == std::string::npos || last <= second)
    return not_honored("--kernel-id", id, "it is not context:stream:name:invocation");
  const std::string context = id.substr(0, first),
                    stream = id.substr(first + 1, second - first - 1);
  const std::string name = id.substr(second + 1, last - second - 1), which = id.substr(last + 1);
  if (!context.empty() || !stream.empty())
    return not_honored("--kernel-id", id, "launches are not chosen by context and stream");
  if (!name.empty()) made.insert(made.end(), {"--kernel-name", name});
  if (which.empty()) return {};
  const bool is_number = which.find_first_not_of("0123456789") == std::string::npos &&
                         which.size() < 18 && which != "0";
  if (!is_number || name.empty() || name.starts_with("regex:"))
    return not_honored("--kernel-id", id, "only the N-th launch of one kernel by name is");
  made.insert(made.end(),
              {"--launch-skip", std::to_string(std::stoull(which) - 1), "--launch-count", "1"});
  return {};
}

Status add_section(const std::string& id, Words& made) {
  if (is_chart(id)) {
    made.emplace_back(kChart);
  } else {
    made.insert(made.end(), {"--section", id});
  }
  return {};
}

/// DIR,DIR.
void add_source_folders(const std::string& list, Words& made) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    made.insert(made.end(), {"--source-folder", list.substr(at, end - at)});
    at = end + 1;
  }
}

Status translate(const NcuOption& option, const std::string& value, Words& made) {
  switch (option.way) {
    case Way::kSame:
      made.emplace_back(option.ours.empty() ? option.name : option.ours);
      if (option.takes_value) made.push_back(value);
      return {};
    case Way::kAlwaysSo:
      if (option.only.empty() || is_one_of(option.only, value)) return {};
      return not_honored(option.name, value, option.why);
    case Way::kRefused:
      return not_honored(option.name, "", option.why);
    case Way::kSet:
      return add_set(value, made);
    case Way::kExport:
      return add_export(value, made);
    case Way::kSection:
      return add_section(value, made);
    case Way::kKernelRegex:
      made.insert(made.end(), {"--kernel-name", "regex:" + value});
      return {};
    case Way::kKernelId:
      return add_kernel_id(value, made);
    case Way::kClocks:
      if (value == "none") made.emplace_back(kBoostClocks);
      if (value == "none" || value == "base") return {};
      return not_honored(option.name, value, "there are no clocks to reset");
    case Way::kSourceFolders:
      add_source_folders(value, made);
      return {};
    case Way::kMetrics:
      return add_metrics(value, made);
  }
  return {};
}

/// "--page=raw" in two.
std::pair<std::string, std::optional<std::string>> split(const std::string& word) {
  const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  if (equals == std::string::npos) return {word, {}};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Clocks are part of the GPU that is asked for.
void add_clocks(Words& made) {
  if (std::erase(made, kBoostClocks) == 0 || has(made, "--import")) return;
  const auto gpu = std::ranges::find(made, "--gpu");
  if (gpu == made.end()) {
    made.insert(made.end(), {"--gpu", cuda::Settings().gpu + "@boost"});
  } else {
    *std::next(gpu) += "@boost";
  }
}

/// Without a choice ncu prints its basic set, and nothing where it writes a file.
Status add_defaults(Words& made) {
  const bool charts = std::erase(made, kChart) > 0;
  const bool chosen = has(made, "--section") || has(made, "--metrics") || has(made, "--page");
  const bool writes = has(made, "-o");
  if (writes && !has(made, "--page")) made.emplace_back("--no-pages");
  if (charts && !chosen && !writes)
    return not_honored("--section", "", "charts are drawn in a report: -o FILE");
  if (!chosen && !has(made, "--import")) return add_set("basic", made);
  return {};
}

}  // namespace

Result<Words> profile_words(const Words& words) {
  Words made;
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "--"; ++at) {
    auto [name, value] = split(words[at]);
    const NcuOption* option = find_ncu_option(name);
    if (option == nullptr) {
      return Diagnostic{.message = fmt::format("{} is not a supported ncu option", name),
                        .hint = "docs/from-ncu.md lists the supported options",
                        .code = "usage"};
    }
    if (option->takes_value && !value) {
      if (++at == words.size())
        return Diagnostic{.message = fmt::format("{} needs a value", name), .code = "usage"};
      value = words[at];
    }
    WL_TRY_STATUS(translate(*option, value.value_or(""), made));
  }
  add_clocks(made);
  WL_TRY_STATUS(add_defaults(made));
  if (at < words.size() && words[at] == "--") ++at;
  if (at < words.size()) made.emplace_back("--");
  made.insert(made.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return made;
}

}  // namespace warpledger::cli
