#include "warpledger/exec/memory/snapshot.h"

#include <cstring>

namespace warpledger::exec {

MemorySnapshot::MemorySnapshot(DeviceMemory& memory) : memory_(memory) {
  for (const auto& [address, allocation] : memory.allocations()) {
    if (allocation.is_free || allocation.bytes == 0) continue;
    const std::byte* bytes = memory.find(address, allocation.bytes);
    held_[address].assign(bytes, bytes + allocation.bytes);
  }
}

void MemorySnapshot::restore() const {
  for (const auto& [address, bytes] : held_) {
    if (std::byte* at = memory_.find(address, bytes.size()))
      std::memcpy(at, bytes.data(), bytes.size());
  }
}

}  // namespace warpledger::exec
