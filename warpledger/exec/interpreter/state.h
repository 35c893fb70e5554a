// The state of a running grid: CTAs, warps, fragments of warps.
//
// A warp that has diverged consists of fragments: sets of lanes with a program counter each. Where
// a branch splits a fragment, a Join is made at the branch's reconvergence point; fragments that
// reach it wait until every lane that the join still expects has come, then go on as one. Lanes
// that exit or return are no longer expected. A call is a join too: the lanes meet again when they
// return.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/step.h"
#include "warpledger/exec/interpreter/async/in_flight.h"
#include "warpledger/exec/interpreter/async/tensor_memory.h"
#include "warpledger/exec/interpreter/pending_copies.h"
#include "warpledger/exec/semantics/warp.h"
#include "warpledger/trace/sync_log.h"

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
  enum class Wait : uint8_t {
    kReady,
    kBarrier,
    kLanes,
    kPhase,     // of the mbarrier at `object`
    kCluster,   // barrier.cluster.wait
    kColumns,   // tcgen05.alloc: `object` columns of tensor memory; or .dealloc: its peer
    kProducts,  // wgmma.wait_group: other warps of the warpgroup have not issued them yet
  };
  Lanes lanes = 0;
  uint32_t pc = 0;
  uint32_t activation = 0;
  uint32_t join = kNone;
  Wait wait = Wait::kReady;
  Lanes wanted = 0;        // kLanes: who must come
  Lanes present = 0;       // kLanes: who of this fragment has
  int barrier = 0;         // kBarrier: which
  uint64_t object = 0;     // kPhase, kColumns
  bool timed_out = false;  // kPhase: the wait has been given up and answers false
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
  PerLane<BulkGroups> bulk;
  MatrixGroups matrix;
  Lanes at_cluster_barrier = 0;  // arrived there, and did not wait yet
  uint64_t steps = 0;
  uint64_t turn = 0;   // steps since another fragment last ran
  uint64_t polls = 0;  // of these, those that may wait for somebody
  int64_t fuel = 0;    // instructions until a loop's head ends the warp's turn; set when it starts
  enum class GaveWay : uint8_t { kNot, kAtLoop, kAtStep };
  GaveWay gave_way = GaveWay::kNot;  // to the other warps, before the step that comes next
};

/// A barrier of a CTA: who has arrived, and what they bring to a reduction.
struct Barrier {
  std::vector<Lanes> arrived;  // by warp
  uint32_t needed = 0;         // threads; 0: all that are alive
  uint32_t ones = 0;           // lanes whose predicate was true
  uint32_t voters = 0;
};

/// Who has arrived at an mbarrier in its phase, for a deadlock's diagnosis.
struct PhaseArrivals {
  uint32_t expected = 0;        // by its initialization
  uint64_t phases = 0;          // completed
  std::vector<uint32_t> warps;  // of this CTA, in order
};

struct Cta {
  uint64_t id = 0;
  Extent index = {};
  uint32_t slot = 0;
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  Barrier barriers[kBarriers];
  uint32_t rank = 0;  // in its cluster
  std::vector<BulkArrival> arrivals;
  SharedUse use;
  TensorUnit tensor;
  std::map<uint64_t, PhaseArrivals> phases;  // by the mbarrier's offset
  uint64_t events = 0;                       // that may have let somebody go on
  bool running = false;
  std::unique_ptr<trace::BlockLog> log;  // async/sync_note.h; null: nobody reads it
};

/// CTAs that run together: those of a cluster, or one alone.
struct Cluster {
  std::vector<uint32_t> slot;  // by rank; kNone: not started yet, or ended
  uint32_t started = 0, ended = 0;
  std::vector<std::vector<Lanes>> arrived;  // at the barrier: by rank and warp
  uint64_t events = 0;                      // when all of them last stood still
  uint32_t quiet = 0;                       // how often they have since, without an event
};

}  // namespace warpledger::exec::reference
