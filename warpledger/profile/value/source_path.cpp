#include "warpledger/profile/value/source_path.h"

namespace warpledger::profile {

std::string source_path(const std::string& profiled_file, const SourceLine& where) {
  if (profiled_file.empty() || where.line == 0) return {};
  const size_t slash = profiled_file.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : profiled_file.substr(0, slash + 1);
  return folder + where.file;
}

}  // namespace warpledger::profile
