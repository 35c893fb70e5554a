// Accesses outside of allocations that a launch goes on from, where the caller wants that
// (--on-error continue): such a read gives 0, such a write goes nowhere. Each instruction is
// described once and counted from then on. Several threads may note at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "warpledger/base/diagnostic.h"

namespace warpledger::exec {

struct BadAccess {
  Diagnostic first;    // of the lowest thread of the lowest block: thread, address, lines
  uint64_t lanes = 0;  // accesses by threads, all of the instruction
};

class BadAccesses {
 public:
  /// Counts one of `thread` (numbered over the grid, so that the answer does not depend on which
  /// block ran first). True where it is to be described: no lower one was.
  [[nodiscard]] bool count(const void* instruction, uint64_t thread) {
    const std::lock_guard lock(mutex_);
    ++total_;
    Noted& noted = found_[instruction];
    if (++noted.access.lanes > 1 && noted.thread <= thread) return false;
    noted.thread = thread;
    noted.turn = total_;
    return true;
  }
  void describe(const void* instruction, uint64_t thread, Diagnostic first) {
    const std::lock_guard lock(mutex_);
    Noted& noted = found_[instruction];
    if (noted.thread == thread) noted.access.first = std::move(first);
  }
  [[nodiscard]] uint64_t total() const { return total_; }
  [[nodiscard]] bool is_empty() {
    const std::lock_guard lock(mutex_);
    return found_.empty();
  }
  /// What was noted, by thread, then in the order in which it went; from then on there is nothing.
  [[nodiscard]] std::vector<BadAccess> take() {
    const std::lock_guard lock(mutex_);
    std::map<std::pair<uint64_t, uint64_t>, BadAccess> ordered;
    for (auto& [instruction, noted] : found_)
      ordered.emplace(std::pair(noted.thread, noted.turn), std::move(noted.access));
    found_.clear();
    std::vector<BadAccess> all;
    for (auto& [place, access] : ordered) all.push_back(std::move(access));
    return all;
  }

 private:
  struct Noted {
    BadAccess access;
    uint64_t thread = 0;
    uint64_t turn = 0;  // accesses before it, of all instructions
  };
  std::mutex mutex_;
  std::atomic<uint64_t> total_ = 0;
  std::map<const void*, Noted> found_;  // by instruction
};

/// "... ; 12 accesses at this instruction, and the launch went on": for the user.
[[nodiscard]] Diagnostic describe(const BadAccess& access);

}  // namespace warpledger::exec
