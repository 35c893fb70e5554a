// Whole files in and out. Nothing else of the library touches the file system directly.
#pragma once

#include <string>

#include "warpledger/base/result.h"

namespace warpledger {

/// The bytes of `path`; "-" is standard input.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// Writes through a temporary file in the same folder and renames it, so that a reader or a kill
/// never sees half a file.
[[nodiscard]] Status write_file(const std::string& path, const std::string& bytes);

}  // namespace warpledger
