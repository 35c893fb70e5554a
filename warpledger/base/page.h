// The system's pages: 4 KB on x86-64; 4, 16 or 64 KB on arm64, by its kernel.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace warpledger {

[[nodiscard]] inline uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace warpledger
