// What compiled code calls for its accesses: those that it cannot tell to be in bounds, matrices,
// asynchronous copies.
#pragma once

#include <optional>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/jit/runtime/runtime.h"

namespace warpledger::exec::jit {

/// Where the lanes of an access lie.
struct LaneExtent {
  uint64_t low = ~uint64_t{0}, high = 0;  // first bytes of the lowest and the highest lane
  uint64_t bits = 0;                      // all addresses, or-ed: what they are multiples of
};
[[nodiscard]] LaneExtent extent_of(uint32_t lanes, const uint64_t* address);

/// Bytes where all lanes lie: lane l's are at host + (address - lowest address), of its own stack
/// in local memory.
struct LaneBytes {
  SpaceAddress low;
  std::byte* host = nullptr;  // null where lanes have their own
};
/// Of an access of `bytes` a lane. Nothing where not all lanes are inside one allocation, or one
/// window, or somebody has to look at each. No allocation lies in a window of the generic
/// addresses.
[[nodiscard]] std::optional<LaneBytes> find_at_once(const RunningWarp& warp, ptx::Space named,
                                                    const LaneExtent& all, uint64_t bytes,
                                                    reference::Access how);
/// Records such an access, of context.lanes at these addresses.
void record_at_once(const reference::Context& context, const reference::Step& step,
                    const LaneExtent& all, const SpaceAddress& low, uint64_t bytes,
                    const uint64_t* address);

/// The lanes' addresses of [register + offset] or [address], off the interpreter's registers.
[[nodiscard]] reference::Accessed addressed(const WarpContext& c, const reference::Value& at,
                                            uint32_t lanes);

// All answer 1 when the warp is over, the fault set. `scalar`: the uniform part of the addresses.

/// ld, st: addresses in context.address, elements in context.data.
int32_t access(WarpContext* c, uint32_t pc, uint32_t lanes, uint64_t scalar);

/// ldmatrix, stmatrix: rows at context.address, registers in context.matrix (d of a load, a of a
/// store).
int32_t move_matrices(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes, uint64_t scalar);
/// The same, all lanes and in bounds; compiled code has recorded it.
void move_known_rows(WarpContext* c, uint32_t pc);

/// atom, red by the interpreter's registers.
int32_t update(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes);

/// wmma.load, wmma.store by the interpreter's registers.
int32_t transfer(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes);

/// Bytes at context.address, in bounds, are about to be written while asynchronous work uses shared
/// memory.
int32_t note_writes(WarpContext* c, uint32_t pc, uint32_t lanes, uint32_t bytes);

/// cp.async by the interpreter's registers; `sources`: the lanes that read.
int32_t copy(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes, uint32_t sources,
             uint64_t from, uint64_t to);
/// The same, in bounds and recorded: from context.address to context.data[0].
void queue_copy(WarpContext* c, uint32_t bytes, uint32_t lanes, uint32_t sources);
void commit_copies(WarpContext* c, uint32_t lanes);
void wait_copies(WarpContext* c, uint32_t lanes, uint64_t left);

}  // namespace warpledger::exec::jit
