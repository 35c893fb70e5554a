// The file that ncu's -o names: %h host, %p process, %q{NAME} variable, %i the first free number,
// %%.
#pragma once

#include <string>

#include "warpledger/base/result.h"

namespace warpledger::cli {

/// With `ending`, unless it has it. Fails with "usage" on another macro.
[[nodiscard]] Result<std::string> report_name(const std::string& pattern,
                                              const std::string& ending);

}  // namespace warpledger::cli
