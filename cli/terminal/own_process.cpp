// The half of child.h that every system has.
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <array>
#endif

#include "cli/terminal/child.h"
#include "warpledger/toolchain/process.h"

namespace warpledger::cli {

Diagnostic become(const std::string& program, const std::vector<std::string>& command) {
  execv(program.c_str(), toolchain::c_strings(command).data());
  return {.message = "cannot run " + program, .code = "tool-failed"};
}

std::filesystem::path own_file() {
#ifdef __APPLE__
  std::array<char, 4096> path = {};
  uint32_t size = path.size();
  return _NSGetExecutablePath(path.data(), &size) == 0 ? path.data() : "";
#else
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
#endif
}

}  // namespace warpledger::cli
