#include "cli/options/ncu_option_table.h"

#include <algorithm>

namespace warpledger::cli {
namespace {

using Way = NcuOption::Way;

constexpr std::string_view kNoRename = "kernels keep their own names";
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
    {"--section", "", true, Way::kSection},
    {"--import", "-i", true},
    {"--page", "", true},
    {"--print-source", "", true},
    {"--csv"},
    {"--print-units", "", true},
    {"--cache-control", "", true, Way::kAlwaysSo, "all",
     "what other launches leave in the L2 is not modeled"},
    {"--force-overwrite", "-f"},
    {"--verbose"},
    {"--gpu", "", true},  // ours
    {"--nvtx-include", "", true},
    {"--nvtx-exclude", "", true},
    {"--range-filter", "", true},
    {"--profile-from-start", "", true},
    {"--disable-profiler-start-stop"},
    {"--print-summary", "", true},
    {"--summary", "", true, Way::kSame, "", "", "--print-summary"},
    {"--units", "", true, Way::kSame, "", "", "--print-units"},
    {"--kernel-regex", "", true, Way::kKernelRegex},
    {"--kernel-regex-base", "", true, Way::kSame, "", "", "--kernel-name-base"},
    {"--kernel-id", "", true, Way::kKernelId},
    {"--log-file", "", true},
    {"--source-folders", "", true, Way::kSourceFolders},
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
    {"--clock-control", "", true, Way::kClocks},
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
    {"--print-nvtx-rename", "", true, Way::kAlwaysSo, "none", kNoRename},
    {"--rename-kernels", "", true, Way::kAlwaysSo, "off no", kNoRename},
    {"--details-all", "", false, Way::kAlwaysSo},
    {"--quiet", "", false, Way::kAlwaysSo},
    {"--kill", "", true, Way::kAlwaysSo, "off no", "programs run to their end"},
    {"--null-stdin", "", false, Way::kRefused, "", "programs read their own input"},
    {"--range-replay-options", "", true, Way::kRefused, "", kNoRanges},
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
    {"--open-in-ui", "", false, Way::kRefused, "", "open the file that -o writes"},
    {"--print-fp", "", false, Way::kRefused, "", "--print-units base prints all digits"},
    {"--query-metrics-mode", "", true, Way::kRefused, "", kNoGpu},
    {"--query-metrics-collection", "", true, Way::kRefused, "", kNoGpu},
    {"--chips", "", true, Way::kRefused, "", kNoGpu},
    {"--resolve-source-file", "", true, Way::kRefused, "", "--source-folders names folders"},
};

}  // namespace

std::span<const NcuOption> ncu_options() { return kOptions; }

const NcuOption* find_ncu_option(std::string_view word) {
  const auto found = std::ranges::find_if(kOptions, [&](const NcuOption& one) {
    return word == one.name || (!one.letter.empty() && word == one.letter);
  });
  return found == std::end(kOptions) ? nullptr : &*found;
}

}  // namespace warpledger::cli
