#include "warpledger/exec/memory/poison.h"

#include <algorithm>

#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::exec {

void Poison::add(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  uint64_t start = address, end = address + bytes;
  auto next = ends_.upper_bound(start);
  if (next != ends_.begin() && std::prev(next)->second >= start) {
    --next;
    if (next->second >= end) return;
    start = next->first;
  }
  while (next != ends_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_[start] = end;
}

void Poison::remove(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  auto next = ends_.lower_bound(address);
  if (next != ends_.begin() && std::prev(next)->second > address) {
    auto& before = *std::prev(next);
    const uint64_t old_end = before.second;
    before.second = address;
    if (old_end > end) next = ends_.emplace(end, old_end).first;
    if (before.first == address) ends_.erase(before.first);
  }
  while (next != ends_.end() && next->first < end) {
    const uint64_t old_end = next->second;
    next = ends_.erase(next);
    if (old_end > end) next = ends_.emplace(end, old_end).first;
  }
}

bool Poison::touches(uint64_t address, uint64_t bytes) const {
  const auto next = ends_.lower_bound(address);
  if (next != ends_.end() && next->first < address + bytes) return true;
  return next != ends_.begin() && std::prev(next)->second > address;
}

ValueWatch::ValueWatch(DeviceMemory& memory, Grain grain)
    : memory_(memory), grain_(grain), poison_before_(memory.poison()) {}

bool ValueWatch::keeps_read(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (grain_ == Grain::kBytes) return !memory_.poison().touches(address, bytes);
  const Allocation& whole = *memory_.holding(address);
  read_.insert(whole.address);
  return !memory_.poison().touches(whole.address, whole.bytes);
}

bool ValueWatch::drops_write(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (grain_ == Grain::kBytes) {
    memory_.poison().add(address, bytes);
    return true;
  }
  const Allocation& whole = *memory_.holding(address);
  memory_.poison().add(whole.address, whole.bytes);
  return !read_.contains(whole.address);
}

void ValueWatch::keeps_write(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const Allocation& whole = *memory_.holding(address);
  auto [saved, is_first] = before_.try_emplace(whole.address);
  if (is_first) {
    const std::byte* now = memory_.find(whole.address, whole.bytes);
    saved->second.assign(now, now + whole.bytes);
  }
  if (grain_ == Grain::kBytes) memory_.poison().remove(address, bytes);
}

void ValueWatch::take_back() {
  for (const auto& [address, bytes] : before_) {
    std::byte* now = memory_.find(address, bytes.size());
    if (now != nullptr) std::copy(bytes.begin(), bytes.end(), now);
  }
  memory_.poison() = poison_before_;
}

}  // namespace warpledger::exec
