#include "warpledger/toolchain/temporary_folder.h"

#include <cstdlib>
#include <filesystem>

namespace warpledger::toolchain {

namespace fs = std::filesystem;

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code fault;
  std::string path = (fs::temp_directory_path(fault) / "warpledger-XXXXXX").string();
  if (fault || ::mkdtemp(path.data()) == nullptr) {
    return Diagnostic{.message = "cannot create a temporary directory", .code = "io"};
  }
  return TemporaryFolder(path);
}

std::string TemporaryFolder::file(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

}  // namespace warpledger::toolchain
