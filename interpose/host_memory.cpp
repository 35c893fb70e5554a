#include "interpose/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace warpledger::cuda {

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
