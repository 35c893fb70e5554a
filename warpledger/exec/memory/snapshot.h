// The bytes of device memory at one moment, to begin a launch again from.
#pragma once

#include <map>
#include <vector>

#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::exec {

/// Of every live allocation. The memory must outlive it.
class MemorySnapshot {
 public:
  explicit MemorySnapshot(DeviceMemory& memory);
  /// Allocations that are no longer alive stay as they are.
  void restore() const;
  /// Whether the live allocations are those that it holds, and have the bytes that it holds.
  [[nodiscard]] bool is_current() const;

  [[nodiscard]] const DeviceMemory& memory() const { return memory_; }
  [[nodiscard]] const std::map<uint64_t, std::vector<std::byte>>& held() const { return held_; }

 private:
  DeviceMemory& memory_;
  std::map<uint64_t, std::vector<std::byte>> held_;  // by address
};

}  // namespace warpledger::exec
