// The state of a running grid: CTAs, warps, fragments of warps.
//
// A warp that has diverged consists of fragments: sets of lanes with a program counter each. Where
// a branch splits a fragment, a Join is made at the branch's reconvergence point; fragments that
// reach it wait until every lane that the join still expects has come, then go on as one. Lanes
// that exit or return are no longer expected. A call is a join too: the lanes meet again when they
// return.
#pragma once

#include <string>

#include "warpledger/exec/launch.h"
#include "warpledger/exec/reference/pending_copies.h"
#include "warpledger/exec/reference/step.h"
#include "warpledger/exec/semantics/warp.h"

namespace warpledger::exec::reference {

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr int kBarriers = 16;

/// One execution of a function by some lanes of a warp.
struct Activation {
  const Code* code = nullptr;
  uint32_t caller = kNone;     // activation
  const Step* call = nullptr;  // of the caller
  uint32_t return_join = kNone;
  uint64_t frame_base = 0;  // in the local stack
  uint32_t depth = 0;
  std::vector<uint64_t> registers;  // slot * 32 + lane
};

struct Join {
  uint32_t activation = 0;
  uint32_t pc = 0;
  uint32_t parent = kNone;
  Lanes expected = 0;
  Lanes arrived = 0;
};

struct Fragment {
  enum class Wait : uint8_t { kReady, kBarrier, kLanes };
  Lanes lanes = 0;
  uint32_t pc = 0;
  uint32_t activation = 0;
  uint32_t join = kNone;
  Wait wait = Wait::kReady;
  Lanes wanted = 0;   // kLanes: who must come
  Lanes present = 0;  // kLanes: who of this fragment has
  int barrier = 0;    // kBarrier: which
};

struct Warp {
  uint32_t index = 0;
  Lanes alive = 0;
  std::vector<Fragment> fragments;  // the last one that is ready runs
  std::vector<Join> joins;
  std::vector<Activation> activations;
  PerLane<std::vector<std::byte>> stack;
  PerLane<bool> carry = {};
  PendingCopies copies;
  uint64_t steps = 0;
  uint64_t turn = 0;   // steps since another fragment last ran
  uint64_t polls = 0;  // of these, those that may wait for somebody
};

/// A barrier of a CTA: who has arrived, and what they bring to a reduction.
struct Barrier {
  std::vector<Lanes> arrived;  // by warp
  uint32_t needed = 0;         // threads; 0: all that are alive
  uint32_t ones = 0;           // lanes whose predicate was true
  uint32_t voters = 0;
};

struct Cta {
  uint64_t id = 0;
  Extent index = {};
  uint32_t slot = 0;
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  Barrier barriers[kBarriers];
  uint32_t next_warp = 0;  // whose turn it is
  bool running = false;
};

}  // namespace warpledger::exec::reference
