// Stores that cover sectors only in part wait for the same warp's next instruction: when that is a
// store to the same sectors, both leave as one write. Any other access of the warp, a use or a
// barrier sends them off: with loads in between, or behind a barrier, hardware merges nothing (RTX
// 4090, RTX 4050). Only what the first phase of a store touches waits; a 64-bit store takes two
// phases, and what the second touches leaves at once. Seen on RTX 3080 and H100 (four 32-bit stores
// that fill 16 B per lane leave as 0.25 of their sectors) and on RTX A2000 (three 64-bit stores
// that fill 24 B per lane leave as 2/3: half of each store's lines merge three times, half never.
// The cycles of the path to the L2 agree: 62.4 a warp, 63 by this rule, 66 if two of three stores
// merged whole).
#pragma once

#include <vector>

#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/l2.h"

namespace warpledger::memory {

class StoreCombiner {
 public:
  /// Takes a store to `line` in; returns true when it joined one that waits.
  bool join(uint32_t line, uint8_t sectors, const ByteMask& bytes) {
    for (Waiting& waiting : waiting_) {
      if (waiting.request.line != line || (sectors & ~waiting.request.sectors)) continue;
      waiting.bytes[0] |= bytes[0];
      waiting.bytes[1] |= bytes[1];
      return true;
    }
    return false;
  }
  void hold(const L2Request& request, const ByteMask& bytes) {
    waiting_.push_back({request, bytes});
  }
  /// Sends everything off.
  void flush(L2Queue& queue) {
    for (Waiting& waiting : waiting_) {
      waiting.request.partial =
          LineTouch{0, waiting.request.sectors, waiting.bytes}.partial_sectors();
      if (waiting.request.partial) {
        queue.push(waiting.request, waiting.bytes);
      } else {
        queue.push(waiting.request);
      }
    }
    waiting_.clear();
  }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    L2Request request;
    ByteMask bytes;
  };
  std::vector<Waiting> waiting_;
};

}  // namespace warpledger::memory
