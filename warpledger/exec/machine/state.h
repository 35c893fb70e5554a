// What a launch consists of while it runs: blocks, their warps, and what each lane waits for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/machine/loader.h"
#include "warpledger/exec/memory/device_memory.h"
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
  kExited,
};

/// What LDGSTS has read and not yet written: a group is written when it is waited for.
struct LateWrite {
  uint32_t address = 0, group = 0;
  int bytes = 0;
  std::array<std::byte, 16> data = {};
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
  uint32_t yields = 0;
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

struct Block {
  Extent id = {};
  std::vector<std::byte> shared;
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
  uint64_t steps = 0;  // of the launch so far
  uint64_t branches = 0, divergent_branches = 0;
  std::string output = {};  // of device-side printf
  std::optional<Diagnostic> fault = {};

  void stop(Diagnostic why) {
    if (!fault) fault = std::move(why);
  }
  void stop(std::string message, std::string code) {
    stop(Diagnostic{.message = std::move(message), .code = std::move(code)});
  }
};

}  // namespace warpledger::exec::machine
