#include "interpose/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace warpledger::cuda {
namespace {

/// The first number in the file, behind `label`. The largest number where there is none: no limit.
uint64_t number_in(const std::string& path, const std::string& label) {
  uint64_t found = UINT64_MAX;
  FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return found;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const std::string text = line;
    if (!text.starts_with(label)) continue;
    static_cast<void>(std::sscanf(line + label.size(), "%" SCNu64, &found));
    break;
  }
  std::fclose(file);
  return found;
}

}  // namespace

uint64_t available_host_bytes() {
  const uint64_t kib = number_in("/proc/meminfo", "MemAvailable:");
  const uint64_t host = kib == UINT64_MAX ? kib : kib << 10;
  // Inside a container its own control group is the root that is seen.
  const uint64_t most = number_in("/sys/fs/cgroup/memory.max", "");
  const uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
  if (most == UINT64_MAX || used == UINT64_MAX) return host;
  return std::min(host, most - std::min(most, used));
}

bool is_mapped(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kPages = 4096;  // asked for at a time
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (bytes == 0) return true;
  if (address == 0 || bytes - 1 > UINT64_MAX - address) return false;
  unsigned char resident[kPages];
  const uint64_t last = (address + bytes - 1) / page * page;
  for (uint64_t at = address / page * page; at <= last; at += kPages * page) {
    const uint64_t length = std::min(kPages * page, last - at + page);
    if (mincore(reinterpret_cast<void*>(at), length, resident) == 0) continue;
    if (errno == ENOMEM) return false;  // what it says of pages that are not mapped
  }
  return true;
}

}  // namespace warpledger::cuda
