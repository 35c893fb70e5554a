// What of device memory holds bytes now.
#pragma once

#include <span>
#include <vector>

#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::exec {

struct LiveBytes {
  uint64_t address = 0;
  std::span<std::byte> bytes = {};
};

/// The live allocations, by address, without empty ones. They are the memory's until it changes.
[[nodiscard]] inline std::vector<LiveBytes> live_bytes(const DeviceMemory& memory) {
  std::vector<LiveBytes> live;
  for (const auto& [address, allocation] : memory.allocations()) {
    if (allocation.is_free || allocation.bytes == 0) continue;
    live.push_back({address, {memory.find(address, allocation.bytes), allocation.bytes}});
  }
  return live;
}

}  // namespace warpledger::exec
