#include "cli/terminal/files.h"

#include <fmt/core.h>

#include <filesystem>

#include "warpledger/base/file.h"

namespace warpledger::cli {

Status write_files(const std::string& folder, const std::map<std::string, std::string>& files) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return Diagnostic{fmt::format("cannot create '{}': {}", folder, failed.message()), "",
                      "cannot-write"};
  }
  for (const auto& [name, bytes] : files) WL_TRY_STATUS(write_file(folder + "/" + name, bytes));
  return {};
}

}  // namespace warpledger::cli
