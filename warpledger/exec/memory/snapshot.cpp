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

bool MemorySnapshot::is_current() const {
  size_t live = 0;
  for (const auto& [address, allocation] : memory_.allocations()) {
    if (allocation.is_free || allocation.bytes == 0) continue;
    const auto held = held_.find(address);
    if (held == held_.end() || held->second.size() != allocation.bytes) return false;
    if (std::memcmp(memory_.find(address, allocation.bytes), held->second.data(),
                    allocation.bytes) != 0)
      return false;
    ++live;
  }
  return live == held_.size();
}

}  // namespace warpledger::exec
