#include "cli/options/range_flags.h"

#include "interpose/ranges.h"

namespace warpledger::cli {
namespace {

constexpr const char* kGroup = "As in ncu, for a program";

void add_filter(Command& command, const char* name, std::vector<std::string>& filters,
                const char* meaning) {
  command.add_option(name, filters, meaning)
      ->type_name("RANGE")
      ->take_all()
      ->allow_extra_args(false)
      ->group(kGroup);
}

}  // namespace

void add_range_flags(Command& command, RangeFlags& flags) {
  add_filter(command, "--nvtx-include", flags.nvtx_include,
             "only launches in this NVTX range: \"A/\" is pushed, \"A\" started, \"Domain@A/\" of\n"
             "a domain, regex:...; may be repeated");
  add_filter(command, "--nvtx-exclude", flags.nvtx_exclude, "skip launches in this NVTX range");
  command
      .add_option(
          "--range-filter", flags.range_filter,
          "which instances of the ranges: [yes]:[start/stop]:[NVTX], e.g. :2: or yes:1:[1-3]")
      ->group(kGroup);
  command
      .add_option("--profile-from-start", flags.from_start,
                  "off: only launches between cudaProfilerStart and cudaProfilerStop")
      ->one_of({"on", "off", "yes", "no"})
      ->group(kGroup);
  command
      .add_flag("--disable-profiler-start-stop", flags.ignores_profiler_calls,
                "ignore cudaProfilerStart and cudaProfilerStop")
      ->group(kGroup);
}

Status check(const RangeFlags& flags) {
  for (const auto* filters : {&flags.nvtx_include, &flags.nvtx_exclude}) {
    for (const std::string& text : *filters) {
      WL_TRY(const cuda::NvtxFilter filter, cuda::NvtxFilter::parse(text));
    }
  }
  WL_TRY(const cuda::RangeFilter filter, cuda::parse_range_filter(flags.range_filter));
  return {};
}

}  // namespace warpledger::cli
