// Warps and thread blocks that an SM holds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "warpledger/sm/mbarrier.h"
#include "warpledger/sm/states.h"

namespace warpledger::sm {

inline constexpr size_t kScoreboards = 6;
inline constexpr size_t kBarriers = 17;  // and that of the cluster
inline constexpr uint8_t kClusterBarrier = 16;

struct Warp {
  static constexpr int64_t kUntilTold = INT64_MAX;
  bool is_alive = false, has_exited = false;
  uint32_t life = 0;    // how many warps had this place before
  uint32_t block = 0;   // place of its thread block in the SM
  uint32_t number = 0;  // in the thread block
  uint32_t at = 0;      // the block of code
  uint32_t next = 0;    // the instruction to be issued
  // What has no end but a time. Each begins where the one before it ends.
  int64_t stall_until = 0, branch_until = 0, fetch_until = 0, dispatch_until = 0;
  bool is_at_barrier = false, is_at_fence = false;
  uint8_t barrier = 0;              // its number
  int64_t held_until = kUntilTold;  // at a barrier, a fence, after EXIT
  uint32_t line = UINT32_MAX;       // of code, that it has
  // Scoreboards: how many of far memory and of others are under way, and who set them last.
  std::array<uint16_t, kScoreboards> far = {}, near = {};
  std::array<uint32_t, kScoreboards> setter = {};
  uint32_t outstanding = 0;  // requests
  uint32_t copies = 0;       // asynchronous ones since the last group was closed
  struct Group {
    uint32_t copies = 0;
    uint8_t scoreboard = 7;
  };
  std::deque<Group> groups = {};
  struct Products {
    int64_t end = 0;
    uint32_t last = 0;  // instruction
  };
  std::deque<Products> products = {};  // groups
  int64_t products_end = 0;
  size_t op = 0;  // next one of Program::ops
  int64_t last_issue = -1;
  // What it is known to do until then, so that nobody has to ask every cycle.
  int64_t known_until = 0;
  Reason known = Reason::kWait;
  int64_t waits_since = 0;
  uint32_t waits_for = UINT32_MAX;  // the instruction that set the scoreboard
  std::vector<float> trips = {};    // by block of code: shares of a loop's end, added up
};

struct ThreadBlock {
  bool is_alive = false;
  int64_t starts_at = kNever;  // the next one at this place
  uint32_t warps = 0;          // not yet ended
  uint32_t running = 0;        // not yet at EXIT
  uint32_t number = 0;         // in the order of starts
  int64_t started_at = 0;
  std::array<uint32_t, kBarriers> arrived = {};
  std::vector<Mbarrier> barriers = {};
  int64_t products_end = 0;  // of the asynchronous tensor cores
  static constexpr int64_t kNever = INT64_MAX;
};

}  // namespace warpledger::sm
