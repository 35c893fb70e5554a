#include "warpledger/base/file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace warpledger {
namespace {

Diagnostic cannot(std::string_view verb, const std::string& path) {
  return {.message = fmt::format("cannot {} '{}': {}", verb, path, std::strerror(errno)),
          .code = "file-access"};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::ostringstream bytes;
  if (path == "-") {
    bytes << std::cin.rdbuf();
    return bytes.str();
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Diagnostic{.message = fmt::format("cannot read '{}': it is a directory", path),
                      .code = "file-access"};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot("read", path);
  bytes << file.rdbuf();
  return bytes.str();
}

Status write_file(const std::string& path, const std::string& bytes) {
  const std::string partial = fmt::format("{}.{}.partial", path, ::getpid());
  errno = 0;
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  if (!file) {
    const Diagnostic error = cannot("write", path);
    std::remove(partial.c_str());  // a disk that is full keeps no half of it
    return error;
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) {
    const Diagnostic error = cannot("write", path);
    std::remove(partial.c_str());
    return error;
  }
  return {};
}

}  // namespace warpledger
