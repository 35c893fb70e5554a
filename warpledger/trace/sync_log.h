// What the warps of one thread block did with mbarriers, each in its own order, and how often each
// executed what: enough to know which warps play which role, and whose arrival ends whose wait.
// Kept beside the records, of one block of a launch that has mbarriers; other launches have none.
#pragma once

#include <cstdint>
#include <vector>

namespace warpledger::trace {

struct SyncEvent {
  enum class Kind : uint8_t {
    kInit,     // count: arrivals of each phase
    kArrive,   // count arrivals, and bytes announced (expect_tx)
    kWait,     // which ended: for the phase of that parity
    kCopy,     // a copy that brings `bytes`, from all blocks of its cluster
    kProduct,  // of the asynchronous tensor cores: count elements of D and step
    kCommit,   // an arrival when the block's products so far are done
  };
  Kind kind = Kind::kInit;
  bool parity = false;
  bool continues = false;    // the execution of the event before it: its lanes name several objects
  uint32_t instruction = 0;  // as trace::Site::instruction
  uint32_t barrier = 0;      // offset in the shared memory of its block
  uint32_t count = 0;
  int64_t bytes = 0;
  friend bool operator==(const SyncEvent&, const SyncEvent&) = default;
};

struct WarpLog {
  std::vector<SyncEvent> events;
  std::vector<uint64_t> executions;  // by instruction
  friend bool operator==(const WarpLog&, const WarpLog&) = default;
};

/// An arrival or a copy at a block of the same cluster stands in the log of who issued it, at the
/// same offset: blocks of a cluster are taken to do alike.
struct BlockLog {
  std::vector<WarpLog> warps;
  bool is_whole = true;  // false: too long, or something in it has no event
};

}  // namespace warpledger::trace
