// Folders of results.
#pragma once

#include <map>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::cli {

/// Writes every file, by name, into the folder, which is made when it is not there.
[[nodiscard]] Status write_files(const std::string& folder,
                                 const std::map<std::string, std::string>& files);

}  // namespace warpledger::cli
