// What is known of a kernel's registers before a line of code is emitted: which hold one value for
// the warp, which must be merged lane by lane, and where masks are restored.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/jit/analysis/flow.h"

namespace warpledger::exec::jit {

/// How a register is held; each can hold what those before it can.
enum class Holding : uint8_t { kUniform, kVector, kPair };

struct Analysis {
  const reference::Program* program = nullptr;
  const reference::Code* code = nullptr;
  Extent block = {1, 1, 1};
  Flow flow;
  std::vector<uint16_t> bits;    // by slot: of the register that starts there
  std::vector<Holding> holding;  // by slot
  std::vector<bool> merges;      // by slot: lanes that wait must keep their value
  std::vector<bool> lazy_nan;    // by slot: NaNs in it may be any; made canonical when looked at
  std::vector<bool> parts;       // by block: its branch may part lanes
  std::vector<bool> meets_by_stack;  // by block, and the end: lanes meet here by the stack
  std::vector<uint32_t> mask_from;   // by block: restore the mask that this block had; kNowhere
  std::vector<bool> may_be_partial;  // by block: lanes of the warp may be elsewhere
  /// Accesses of a block off the same register lie alike and are checked together, by the first of
  /// them: leader[step] is its step (itself for a leader, kNowhere for what is checked alone or
  /// always by the runtime); from_leader[step] is its address less the leader's, span[leader] the
  /// lowest and highest of these.
  std::vector<uint32_t> leader;
  std::vector<int64_t> from_leader;
  std::vector<std::pair<int64_t, int64_t>> span;
  std::vector<uint32_t> memory_index;  // by step: its first SiteWindow; kNowhere
  uint32_t windows = 0;                // how many there are
  bool copies = false;                 // some cp.async moves bytes: its groups matter
  bool polls = false;                  // some load may be what a warp spins on
  bool notes_writes = false;           // some product reads shared memory beside the warps
  bool clustered = false;              // CTAs of a cluster see each other's shared memory
  bool guesses = false;                // address-only: some bytes are guessed to be there (slice.h)
  std::vector<bool> may_touch_results;  // by step, of wgmma in flight (in_flight.h); empty: none
  /// Address-only, and no warp can see what another one does: barriers are marks, nobody waits.
  bool warps_run_free = false;

  [[nodiscard]] Holding holding_of(const reference::Value& value) const;
};

/// Fails, naming the instruction, on what only the interpreter runs.
[[nodiscard]] Result<Analysis> analyze(const reference::Program& program, const ptx::Module& module,
                                       const Extent& block);

/// Whether warps can wait for each other at one barrier of the whole block alone: since each comes
/// to it or ends, none waits for ever.
[[nodiscard]] bool has_one_barrier(const reference::Code& code);

/// Whether emit_*.cpp has a lowering of its own for the step; if not, the interpreter's function
/// executes it.
[[nodiscard]] bool is_lowered(const reference::Step& step);

}  // namespace warpledger::exec::jit
