// What a launch consists of while it runs: blocks, their warps, and what each lane waits for.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/machine/loader.h"
#include "warpledger/exec/memory/device_memory.h"
#include "warpledger/exec/semantics/tensor_memory.h"
#include "warpledger/exec/semantics/warp.h"
#include "warpledger/trace/buffer.h"

namespace warpledger::exec::machine {

inline constexpr int kRegisters = 256, kUniformRegisters = 256, kPredicates = 8;
inline constexpr int kConvergenceBarriers = 16, kNamedBarriers = 16;

enum class LaneState : uint8_t {
  kRuns,
  kAtConvergence,  // BSYNC
  kAtWarpSync,     // WARPSYNC
  kAtBarrier,      // BAR.SYNC, BAR.RED
  kAtPhase,        // SYNCS.PHASECHK: a phase of an mbarrier has not ended
  kAtCluster,      // UCGABAR_WAIT
  kAtProducts,     // WARPGROUP.DEPBAR: another warp has not issued its part
  kExited,
};

/// What LDGSTS has read and not yet written: a group is written when it is waited for.
struct LateWrite {
  uint32_t address = 0, group = 0;
  int bytes = 0;
  std::array<std::byte, 16> data = {};
};

/// The phase that a lane waits for to end: of the mbarrier at that offset of its block's shared
/// memory.
struct PhaseWait {
  uint32_t offset = 0;
  bool phase = false;
};

/// Bulk copies of a thread out of shared memory, which read and write when their group is waited
/// for: not in a group yet, then the groups, oldest first.
using LateStore = std::function<void()>;
struct BulkGroups {
  std::vector<LateStore> open;
  std::vector<std::vector<LateStore>> groups;
};

/// What a product of wgmma leaves in registers from `first` on, [register * 32 + lane].
struct MatrixResult {
  uint32_t first = 0;
  std::vector<uint32_t> words = {};
};
/// A warp's products in flight: not in a group yet, then the groups, oldest first.
struct MatrixGroups {
  std::vector<MatrixResult> open;
  std::vector<std::vector<MatrixResult>> groups;
  uint64_t committed = 0, wanted = 0;  // groups that were ended; that the warp waits for
};

class Recorder;

struct Warp {
  uint32_t index = 0;
  Lanes live = 0;
  PerLane<LaneState> state = {};
  PerLane<uint64_t> next = {};           // the address of each lane's next instruction
  std::vector<uint32_t> registers = {};  // of each lane, register by register
  std::array<uint32_t, kUniformRegisters> uniform = {};
  std::array<Lanes, kPredicates> predicates = {};
  uint32_t uniform_predicates = 0;
  /// B0 to B15: whom a lane waits for at a BSYNC. Every lane has its own copy.
  PerLane<std::array<Lanes, kConvergenceBarriers>> convergence = {};
  PerLane<uint8_t> waits_at = {};         // the convergence barrier of a lane at a BSYNC
  PerLane<Lanes> waits_for = {};          // the lanes that a WARPSYNC names
  PerLane<uint32_t> barrier_result = {};  // of the last BAR.RED
  PerLane<uint64_t> last_step = {};
  PerLane<std::vector<LateWrite>> late = {};
  PerLane<uint32_t> copy_group = {};
  PerLane<BulkGroups> bulk = {};
  MatrixGroups matrix = {};
  PerLane<PhaseWait> phase = {};  // of lanes at an mbarrier
  Lanes timed_out = 0;            // lanes whose wait at an mbarrier is to answer false
  Lanes at_cluster = 0;           // lanes that have arrived at the cluster's barrier, which is shut
  Lanes owes_cluster = 0;         // lanes that have arrived there and not waited yet
  uint32_t yields = 0;
  uint64_t left_behind = 0;      // steps since all lanes that can run were last together
  uint32_t loading = 0;          // a bit for each scoreboard that a load in flight will release
  std::vector<std::byte> local;  // of each lane, one after the other; empty before its first use
};

/// A barrier of a block: who has arrived, by thread.
struct NamedBarrier {
  uint32_t arrived = 0, expected = 0;
  bool any = false, all = true;
  uint32_t count = 0;  // of lanes whose predicate holds
  enum class Reduction : uint8_t { kNone, kOr, kAnd, kCount };
  struct Waiting {
    uint32_t warp = 0;
    int lane = 0;
    Reduction reduction = Reduction::kNone;
  };
  std::vector<Waiting> waiting;
};

struct Block;

/// Bytes on their way into shared memory: read when the copy was issued, written when somebody
/// waits at its mbarrier, so that a kernel which does not wait finds the old ones.
struct LateCopy {
  struct Piece {
    uint32_t to = 0, from = 0, bytes = 0;  // offsets in shared memory and in `data`
  };
  uint32_t barrier = 0;  // offset in the shared memory of the block that holds this
  uint32_t to_rank = 0;  // whose shared memory is written
  uint32_t transactions = 0;
  std::vector<Piece> pieces;
  std::shared_ptr<const std::vector<std::byte>> data;  // of all blocks that a copy goes to
};

/// What the tensor core of sm_100 has been asked for: a product, a copy, or the arrival of a commit
/// (tensor_work.h).
struct TensorWork {
  std::function<void()> run;
  uint32_t first_column = 0, columns = 0;  // of tensor memory that it writes
  bool writes_pair = false;                // those of both blocks of a pair
  std::optional<uint32_t> barrier = {};    // of a commit: the mbarrier's offset
  uint32_t ranks = 0;                      // of a commit: in which blocks, as bits
  std::string text = {};                   // of the instruction
};

/// Blocks that see each other's shared memory: one alone where a launch has no clusters.
struct Cluster {
  std::vector<Block*> blocks;  // by rank; null: not begun, or ended
  uint32_t begun = 0;
  /// Grows with whatever may let a waiting warp go on: mbarriers and barriers that change, copies,
  /// blocks that end.
  uint64_t events = 0;
  uint64_t quiet_at = 0, quiet = 0;  // `events` when all last stood still; how often since
};

struct Block {
  Extent id = {};
  uint32_t rank = 0;  // in its cluster
  std::shared_ptr<Cluster> cluster;
  std::vector<LateCopy> arriving;  // at mbarriers of this block
  bool idle = false;               // its last turn did nothing, when `events` were `idle_at`
  uint64_t idle_at = 0;
  std::vector<std::byte> shared;
  uint32_t shared_begin = 0;  // the first byte that is the kernel's
  Range books = {};           // of tensor memory, before that (tensor_memory.cpp)
  TensorMemory tensor;
  std::vector<TensorWork> tensor_queue;
  std::vector<Warp> warps;
  std::array<NamedBarrier, kNamedBarriers> barriers = {};
};

/// All that an instruction may read or change.
struct Context {
  const Launch& launch;
  const Loaded& loaded;
  DeviceMemory& memory;
  Block* block = nullptr;
  Warp* warp = nullptr;
  trace::Buffer* buffer = nullptr;  // of the warp
  Recorder* recorder = nullptr;
  bool repeats = false;  // the instruction has to wait: it comes again, and is not counted before
  uint64_t steps = 0;    // of the launch so far
  uint64_t branches = 0, divergent_branches = 0;
  std::string output = {};  // of device-side printf
  std::optional<Diagnostic> fault = {};

  void stop(Diagnostic why) {
    if (!fault) fault = std::move(why);
  }
  void stop(std::string message, std::string code) {
    stop(Diagnostic{.message = std::move(message), .code = std::move(code)});
  }
  void stop_at(const Instruction& instruction, const std::string& why, std::string code) {
    stop(instruction.text + ": " + why, std::move(code));
  }
};

}  // namespace warpledger::exec::machine
