// One block's streams, cut into the intervals between barriers of the whole block.
#pragma once

#include "warpledger/race/footprint.h"
#include "warpledger/race/shadow.h"
#include "warpledger/trace/sink.h"

namespace warpledger::race {

/// What all blocks of a launch share.
struct Kernel {
  const trace::Launch* launch = nullptr;
  std::vector<Role> roles = {};       // by site; kNone: not checked
  std::vector<uint8_t> effects = {};  // by site: what a record of it and its group is to a stream
  FootprintTable footprints = {};
  Shadow* global = nullptr;  // null: not checked
  Tally* global_races = nullptr;
};

/// Fills roles, of the spaces that are to be checked, and effects.
void describe_sites(Kernel& kernel, bool shared, bool global);

class BlockWatch {
 public:
  void start(Kernel& kernel, uint64_t block);
  /// Further records of a warp, in program order.
  void add(uint32_t warp, std::span<const trace::Record> records);
  /// Checks the intervals that all warps have behind them.
  void check();
  [[nodiscard]] const Tally& races() const { return races_; }
  [[nodiscard]] bool is_left_alone() const { return is_left_alone_; }

 private:
  /// The records of a warp that are not checked yet, with marks where it releases and acquires.
  struct Interval {
    size_t end = 0;                       // in Stream::records
    uint32_t acquires = 0, releases = 0;  // marks in it
    bool writes_shared = false;
    size_t after_acquire = 0, last_release = 0;  // in Stream::records, of an open one
  };
  struct Stream {
    std::vector<trace::Record> records;
    std::vector<Interval> closed;
    Interval open;
    size_t compact_at = 0;  // slots that are worth looking through
    bool has_ended = false;
    [[nodiscard]] Interval first() const {
      if (!closed.empty()) return closed.front();
      Interval last = open;
      last.end = records.size();
      return last;
    }
  };
  struct Slice {
    uint32_t warp = 0;
    std::span<const trace::Record> records = {};
    Interval interval = {};
  };
  void add_mark(Stream& stream, const trace::Record& mark);
  static void add_release(Stream& stream);
  static void add_acquire(Stream& stream);
  static void compact(Stream& stream);
  void add_access(Stream& stream, std::span<const trace::Record> records);
  void check_interval();
  void drop_interval();
  [[nodiscard]] bool may_race(bool at_end);
  /// Calls f(site, record) for each shared access that is to be compared and writes, or does not.
  template <class F>
  void for_each_shared(const Slice& slice, bool at_end, bool writes, F f);
  void collect_writes(const Slice& slice, bool at_end);
  void collect_touching(const Slice& slice, bool at_end);
  void touch_all(const Slice& slice, trace::Space space, Shadow& shadow, Tally& tally);

  Kernel* kernel_ = nullptr;
  uint64_t block_ = 0;
  uint32_t interval_ = 0;
  uint32_t racy_intervals_ = 0;
  bool is_left_alone_ = false;
  bool has_acquired_ = false;  // in some interval before
  std::vector<Stream> streams_;
  std::vector<Slice> slices_;      // the interval that is checked
  ByteSet written_, all_written_;  // plain writes of one warp, of all
  ByteSet touched_;                // of one warp: what else meets a write
  Tally races_;
};

}  // namespace warpledger::race
