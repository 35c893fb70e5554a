#include "cli/options/ncu_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cli {
namespace {

using Words = std::vector<std::string>;

enum class Way { kSame, kAlwaysSo, kRefused, kSet, kExport, kMetrics };

struct NcuOption {
  std::string_view name;
  std::string_view letter = "";  // "-k"
  bool takes_value = false;
  Way way = Way::kSame;
  std::string_view only = "";  // of kAlwaysSo: the values for which it is so; "": all
  std::string_view why = "";   // it is refused
};

constexpr std::string_view kNoNvtx = "NVTX ranges are not modelled";
constexpr std::string_view kNoRanges = "each launch is predicted separately";
constexpr std::string_view kNoSampling = "nothing is sampled";
constexpr std::string_view kOwnSections = "sections are warpledger's own";
constexpr std::string_view kNoGpu = "there is no GPU to ask";

constexpr NcuOption kOptions[] = {
    {"--kernel-name", "-k", true},
    {"--kernel-name-base", "", true},
    {"--launch-skip", "-s", true},
    {"--launch-count", "-c", true},
    {"--launch-skip-before-match", "", true},
    {"--section", "", true},
    {"--import", "-i", true},
    {"--page", "", true},
    {"--csv"},
    {"--print-units", "", true},
    {"--cache-control", "", true},
    {"--force-overwrite", "-f"},
    {"--verbose"},
    {"--gpu", "", true},  // ours
    {"--set", "", true, Way::kSet},
    {"--export", "-o", true, Way::kExport},
    {"--metrics", "", true, Way::kMetrics},
    {"--target-processes", "", true, Way::kAlwaysSo},
    {"--mode", "", true, Way::kAlwaysSo, "launch-and-attach", "programs are launched here"},
    {"--replay-mode", "", true, Way::kAlwaysSo, "kernel application", kNoRanges},
    {"--app-replay-buffer", "", true, Way::kAlwaysSo},
    {"--app-replay-match", "", true, Way::kAlwaysSo},
    {"--app-replay-mode", "", true, Way::kAlwaysSo},
    {"--graph-profiling", "", true, Way::kAlwaysSo, "node", kNoRanges},
    {"--clock-control", "", true, Way::kAlwaysSo, "base",
     "clocks are always the ones that ncu locks to"},
    {"--profile-from-start", "", true, Way::kAlwaysSo, "1 on yes true",
     "cudaProfilerStart is not watched"},
    {"--disable-profiler-start-stop", "", false, Way::kAlwaysSo},
    {"--apply-rules", "", true, Way::kAlwaysSo},
    {"--import-source", "", true, Way::kAlwaysSo},
    {"--check-exit-code", "", true, Way::kAlwaysSo},
    {"--config-file", "", true, Way::kAlwaysSo},
    {"--max-connections", "", true, Way::kAlwaysSo},
    {"--port", "-p", true, Way::kAlwaysSo},
    {"--support-32bit", "", false, Way::kAlwaysSo},
    {"--nvtx", "", false, Way::kAlwaysSo},
    {"--disable-extra-suffixes", "", false, Way::kAlwaysSo},
    {"--warp-sampling-interval", "", true, Way::kAlwaysSo},
    {"--warp-sampling-max-passes", "", true, Way::kAlwaysSo},
    {"--warp-sampling-buffer-size", "", true, Way::kAlwaysSo},
    {"--sampling-interval", "", true, Way::kAlwaysSo},
    {"--sampling-max-passes", "", true, Way::kAlwaysSo},
    {"--sampling-buffer-size", "", true, Way::kAlwaysSo},
    {"--devices", "", true, Way::kAlwaysSo, "0", "there is one GPU"},
    {"--filter-mode", "", true, Way::kAlwaysSo, "global", "there is one GPU"},
    {"--print-kernel-base", "", true, Way::kAlwaysSo, "demangled", "names are printed demangled"},
    {"--print-details", "", true, Way::kAlwaysSo, "header all", "sections are printed whole"},
    {"--print-rule-details", "", false, Way::kAlwaysSo},
    {"--print-metric-name", "", true, Way::kAlwaysSo, "label", "--page raw has names"},
    {"--print-metric-instances", "", true, Way::kAlwaysSo, "none", "--page source has instances"},
    {"--print-nvtx-rename", "", true, Way::kAlwaysSo, "none", kNoNvtx},
    {"--print-summary", "", true, Way::kAlwaysSo, "none", "launches are not summed up"},
    {"--nvtx-include", "", true, Way::kRefused, "", kNoNvtx},
    {"--nvtx-exclude", "", true, Way::kRefused, "", kNoNvtx},
    {"--range-filter", "", true, Way::kRefused, "", kNoRanges},
    {"--range-replay-options", "", true, Way::kRefused, "", kNoRanges},
    {"--kernel-id", "", true, Way::kRefused, "", "use -k, -s and -c"},
    {"--target-processes-filter", "", true, Way::kRefused, "", "every process is profiled"},
    {"--pm-sampling-interval", "", true, Way::kRefused, "", kNoSampling},
    {"--pm-sampling-buffer-size", "", true, Way::kRefused, "", kNoSampling},
    {"--pm-sampling-max-passes", "", true, Way::kRefused, "", kNoSampling},
    {"--call-stack", "", false, Way::kRefused, "", "the host's stacks are not kept"},
    {"--section-folder", "", true, Way::kRefused, "", kOwnSections},
    {"--section-folder-recursive", "", true, Way::kRefused, "", kOwnSections},
    {"--rule", "", true, Way::kRefused, "", "findings are warpledger's own"},
    {"--list-sets", "", false, Way::kRefused, "", kOwnSections},
    {"--list-sections", "", false, Way::kRefused, "", kOwnSections},
    {"--list-rules", "", false, Way::kRefused, "", "findings are warpledger's own"},
    {"--list-metrics", "", false, Way::kRefused, "", "docs/from-ncu.md lists them"},
    {"--list-chips", "", false, Way::kRefused, "", "'warpledger gpus' lists them"},
    {"--query-metrics", "", false, Way::kRefused, "", kNoGpu},
    {"--log-file", "", true, Way::kRefused, "", "redirect the output"},
    {"--open-in-ui", "", false, Way::kRefused, "", "open the file that -o writes"},
    {"--print-source", "", true, Way::kRefused, "", "--page source shows source and PTX"},
    {"--print-fp", "", false, Way::kRefused, "", "--print-units base prints all digits"},
    {"--kill", "", true, Way::kRefused, "", "programs run to their end"},
};

Diagnostic not_honored(std::string_view option, const std::string& value, std::string_view why) {
  return {.message = fmt::format("ncu's {}{} is not honored: {}", option,
                                 value.empty() ? "" : " " + value, why),
          .code = "not-honored"};
}

const NcuOption* find_option(std::string_view word) {
  const auto* found =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const NcuOption& one) {
        return word == one.name || (!one.letter.empty() && word == one.letter);
      });
  return found == std::end(kOptions) ? nullptr : found;
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
  } else if (set == "source") {
    add_sections({"SourceCounters"}, made);
  } else if (set != "none") {
    return not_honored("--set", set, "its sections are not predicted");
  }
  return {};
}

/// regex:EXPRESSION is every metric that it is found in.
Result<std::string> expanded(const std::string& name) {
  if (!name.starts_with("regex:")) return name;
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

Status translate(const NcuOption& option, const std::string& value, Words& made) {
  switch (option.way) {
    case Way::kSame:
      made.emplace_back(option.name);
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
      made.insert(made.end(), {"-o", value.ends_with(".ncu-rep") ? value : value + ".ncu-rep"});
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

/// Without a choice ncu prints its basic set, and nothing where it writes a file.
Status add_defaults(Words& made) {
  const bool chosen = has(made, "--section") || has(made, "--metrics") || has(made, "--page");
  if (has(made, "-o") && !has(made, "--page") && !has(made, "--csv"))
    made.emplace_back("--no-pages");
  if (!chosen && !has(made, "--import")) return add_set("basic", made);
  return {};
}

}  // namespace

Result<Words> profile_words(const Words& words) {
  Words made;
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "--"; ++at) {
    auto [name, value] = split(words[at]);
    const NcuOption* option = find_option(name);
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
  WL_TRY_STATUS(add_defaults(made));
  if (at < words.size() && words[at] == "--") ++at;
  if (at < words.size()) made.emplace_back("--");
  made.insert(made.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return made;
}

}  // namespace warpledger::cli
