#include "warpledger/exec/memory/snapshot.h"

#include <cstring>

#include "warpledger/exec/memory/live.h"

namespace warpledger::exec {

MemorySnapshot::MemorySnapshot(DeviceMemory& memory) : memory_(memory) {
  for (const auto& [address, bytes] : live_bytes(memory))
    held_[address].assign(bytes.begin(), bytes.end());
}

void MemorySnapshot::restore() const {
  for (const auto& [address, bytes] : held_) {
    if (std::byte* at = memory_.find(address, bytes.size()))
      std::memcpy(at, bytes.data(), bytes.size());
  }
}

bool MemorySnapshot::is_current() const {
  const std::vector<LiveBytes> live = live_bytes(memory_);
  if (live.size() != held_.size()) return false;
  for (const auto& [address, bytes] : live) {
    const auto held = held_.find(address);
    if (held == held_.end() || held->second.size() != bytes.size()) return false;
    if (std::memcmp(bytes.data(), held->second.data(), bytes.size()) != 0) return false;
  }
  return true;
}

}  // namespace warpledger::exec
