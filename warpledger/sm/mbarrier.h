// An mbarrier of shared memory: a phase ends when all arrivals have come and all bytes that were
// announced (PTX ISA, "mbarrier").
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "warpledger/sm/port.h"

namespace warpledger::sm {

class Mbarrier {
 public:
  void init(uint32_t arrivals) {
    expected_ = pending_ = arrivals;
    bytes_ = 0;
    phase_ = false;
  }
  /// Whether the phase of that parity has ended.
  [[nodiscard]] bool has_ended(bool parity) const { return phase_ != parity; }
  /// Arrivals that have come, and bytes that are still to come (negative: that have). True: the
  /// phase ends with it.
  [[nodiscard]] bool change(uint32_t arrivals, int64_t bytes) {
    pending_ -= std::min(arrivals, pending_);
    bytes_ += bytes;
    if (pending_ != 0 || bytes_ != 0 || expected_ == 0) return false;
    phase_ = !phase_;
    pending_ = expected_;
    return true;
  }
  void wait(const Request& request) { waiting_.push_back(request); }
  [[nodiscard]] std::vector<Request> take_waiting() { return std::exchange(waiting_, {}); }

 private:
  uint32_t expected_ = 0, pending_ = 0;
  int64_t bytes_ = 0;
  bool phase_ = false;
  std::vector<Request> waiting_;  // for the phase that runs
};

/// What changes a barrier later: bytes of a copy, the end of products.
struct Arrival {
  int64_t time = 0;
  uint64_t order = 0;
  uint32_t place = 0, number = 0;  // of the thread block
  uint32_t barrier = 0, count = 0;
  int64_t bytes = 0;
  uint32_t cause = 0;  // the instruction
  friend bool operator>(const Arrival& a, const Arrival& b) {
    return std::pair(a.time, a.order) > std::pair(b.time, b.order);
  }
};

}  // namespace warpledger::sm
