#include "warpledger/cell/descriptors.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace warpledger::cell {
namespace {

/// The open descriptors of this process; where /proc is not there, all that it may have.
std::vector<uint32_t> open_descriptors() {
  std::vector<uint32_t> found;
  if (DIR* folder = opendir("/proc/self/fd"); folder != nullptr) {
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.')
        found.push_back(static_cast<uint32_t>(std::strtoul(entry->d_name, nullptr, 10)));
    }
    closedir(folder);
    return found;
  }
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kMost = 1u << 20;
  for (uint32_t i = 0; i < std::min(limit.rlim_cur, kMost); ++i) found.push_back(i);
  return found;
}

}  // namespace

void close_each(uint32_t first, uint32_t last) {
  for (const uint32_t descriptor : open_descriptors()) {
    if (descriptor >= first && descriptor <= last) close(static_cast<int>(descriptor));
  }
}

void close_between(uint32_t first, uint32_t last) {
  if (first > last) return;
  if (syscall(SYS_close_range, first, last, 0) != 0) close_each(first, last);
}

void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  uint32_t first = 0;
  for (const int one : kept) {
    const auto number = static_cast<uint32_t>(one);
    if (number > first) close_between(first, number - 1);
    first = number + 1;
  }
  close_between(first, UINT32_MAX);
}

}  // namespace warpledger::cell
