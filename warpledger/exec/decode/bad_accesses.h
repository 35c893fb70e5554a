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
  Diagnostic first;    // the first one: thread, address, lines
  uint64_t lanes = 0;  // accesses by threads, all of the instruction
};

class BadAccesses {
 public:
  /// Counts one. True for the first of that instruction, which describe() is then told.
  [[nodiscard]] bool count(const void* instruction) {
    const std::lock_guard lock(mutex_);
    ++total_;
    return ++found_[instruction].lanes == 1;
  }
  void describe(const void* instruction, Diagnostic first) {
    const std::lock_guard lock(mutex_);
    found_[instruction].first = std::move(first);
    order_.push_back(instruction);
  }
  [[nodiscard]] uint64_t total() const { return total_; }
  [[nodiscard]] bool is_empty() {
    const std::lock_guard lock(mutex_);
    return found_.empty();
  }
  /// What was noted, in the order of the first ones; from then on there is nothing.
  [[nodiscard]] std::vector<BadAccess> take() {
    const std::lock_guard lock(mutex_);
    std::vector<BadAccess> all;
    for (const void* instruction : order_) all.push_back(std::move(found_[instruction]));
    found_.clear();
    order_.clear();
    return all;
  }

 private:
  std::mutex mutex_;
  std::atomic<uint64_t> total_ = 0;
  std::map<const void*, BadAccess> found_;  // by instruction
  std::vector<const void*> order_;
};

/// "... ; 12 accesses at this instruction, and the launch went on": for the user.
[[nodiscard]] Diagnostic describe(const BadAccess& access);

}  // namespace warpledger::exec
