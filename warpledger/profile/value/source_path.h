// Where the source of a line is: line numbers know a file's name alone.
#pragma once

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// The profiled file itself where it has that name, else the place beside it; "" when either is not
/// known.
[[nodiscard]] std::string source_path(const std::string& profiled_file, const SourceLine& where);

}  // namespace warpledger::profile
