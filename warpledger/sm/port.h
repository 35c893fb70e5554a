// The memory port of an SM: what happens to an instruction after a scheduler has issued it to the
// MIO queue of its sub-partition.
//
//   MIO queue (one a sub-partition)  ->  special functions
//                                    ->  load/store unit (one an SM)  ->  data stage  -> registers
//                                                                     ->  tag stage -> data stage
//                                                                            |            ^
//                                                                            v            |
//                                                                  path to L2 -> L2 -> DRAM
//
// Stages serve in first-come order. The L2 and DRAM are token buckets: this SM's share of their
// rate, from the counters of the launch, with a burst that it may use at once.
#pragma once

#include <array>
#include <deque>
#include <queue>

#include "warpledger/sm/program.h"

namespace warpledger::sm {

/// Cycles of the SM clock that one sector, request or atomic of this SM keeps a shared unit busy,
/// all other SMs doing the same.
struct Rates {
  double path = 1;      // L1 -> crossbar, of a request or a written sector
  double l2_input = 0;  // the same at the L2
  double l2_read = 0;   // of a sector
  double l2_write = 0;
  double atomic = 0;  // at one address
  double dram = 0;    // of a sector
};

/// A memory instruction of a warp under way. `life`: warps are reborn, their requests are not.
struct Request {
  const Instruction* instruction = nullptr;
  uint32_t warp = 0, life = 0;
  uint32_t partition = 0;
  int64_t issued = 0;
  bool is_active = true;  // some lane is on
  bool misses = false;    // the L1
  bool to_dram = false;
  double extra = 0;             // cycles beyond the mean latency of DRAM
  uint32_t cause = UINT32_MAX;  // of a wait for an mbarrier: the instruction that ended its phase
};

/// A scoreboard of a warp is to be counted down.
struct Release {
  int64_t time = 0;
  uint64_t order = 0;
  uint32_t warp = 0, life = 0;
  uint8_t scoreboard = 7;
  bool is_far = false;
  bool is_copy = false;  // of a group of asynchronous copies
  bool ends = false;     // nothing of the request is left
  uint32_t cause = UINT32_MAX;
  friend bool operator>(const Release& a, const Release& b) {
    return std::pair(a.time, a.order) > std::pair(b.time, b.order);
  }
};

class Port {
 public:
  Port(const Hardware& hardware, const Rates& rates) : hardware_(hardware), rates_(rates) {}

  [[nodiscard]] bool has_mio_room(uint32_t partition) const {
    return mio_[partition].size() < hardware_.mio_entries;
  }
  [[nodiscard]] bool has_lg_room(uint32_t partition) const {
    return lg_[partition] < hardware_.lg_entries;
  }
  void push(const Request& request);
  /// A result that no queue delays.
  void release_at(int64_t time, const Request& request, bool is_read);
  /// Of a bulk copy: when all its sectors are in shared memory.
  [[nodiscard]] int64_t copy(int64_t now, double sectors, bool to_dram);

  /// One cycle; what falls due is appended to `released`.
  void advance(int64_t now, std::vector<Release>& released);
  /// The next cycle after `now` in which anything can change.
  [[nodiscard]] int64_t next_change(int64_t now) const;

 private:
  struct Return {
    int64_t time = 0;
    uint64_t order = 0;
    Request request = {};
    friend bool operator>(const Return& a, const Return& b) {
      return std::pair(a.time, a.order) > std::pair(b.time, b.order);
    }
  };
  struct Written {
    int64_t time = 0;
    double sectors = 0;
    friend bool operator>(const Written& a, const Written& b) { return a.time > b.time; }
  };
  template <class T>
  using Calendar = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  void take_due(int64_t now, std::vector<Release>& released);
  void run_data_stage(int64_t now);
  void write_back(const Request& request);
  void store(const Request& request);
  void run_tag_stage(int64_t now);
  [[nodiscard]] bool passes_tags(const Request& request, int64_t now) const;
  void fetch(const Request& request);
  void run_queues(int64_t now);
  bool dispatch(uint32_t partition, int64_t now);
  void run_unit(const Request& request, int64_t now);
  bool accept(const Request& request);
  void leave_queue(uint32_t partition, int64_t now, double interval);

  const Hardware& hardware_;
  const Rates& rates_;
  std::array<std::deque<Request>, kPartitions> mio_;
  std::array<uint32_t, kPartitions> lg_{};
  std::array<double, kPartitions> special_free_{}, queue_free_{};
  std::deque<Request> tags_, data_;
  uint32_t stores_ = 0;     // in front of the tag stage
  uint32_t turn_ = 0;       // of the load/store unit
  double pending_ = 0;      // wavefronts of loads that missed
  double copy_lines_ = 0;   // of the L1, that copies wait for
  double written_ = 0;      // sectors on their way to the L2
  double double_free_ = 0;  // the FP64 unit, where the SM has one
  double lsu_free_ = 0, tag_free_ = 0, data_free_ = 0, back_free_ = 0;
  double bulk_free_ = 0;  // the copy engine
  double path_free_ = 0, input_free_ = 0, l2_free_ = 0, atomic_free_ = 0, dram_free_ = 0;
  Calendar<Release> releases_;
  Calendar<Return> returns_;
  Calendar<Written> writes_;
  uint64_t order_ = 0;
};

}  // namespace warpledger::sm
