// ncu's options for the parts of a program that are profiled: --profile-from-start, --nvtx-include,
// --nvtx-exclude, --range-filter.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "warpledger/base/result.h"

namespace warpledger::cli {

struct RangeFlags {
  std::string from_start = "on";  // or off
  bool ignores_profiler_calls = false;
  std::vector<std::string> nvtx_include = {}, nvtx_exclude = {};
  std::string range_filter = {};

  [[nodiscard]] bool uses_nvtx() const { return !nvtx_include.empty() || !nvtx_exclude.empty(); }
  [[nodiscard]] bool is_from_start() const { return from_start == "on" || from_start == "yes"; }
};

inline constexpr const char* kRangeOptions[] = {"--nvtx-include", "--nvtx-exclude",
                                                "--range-filter", "--profile-from-start"};

void add_range_flags(Command& command, RangeFlags& flags);

/// Fails on an expression that is none.
[[nodiscard]] Status check(const RangeFlags& flags);

}  // namespace warpledger::cli
