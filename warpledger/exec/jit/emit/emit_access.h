// LLVM. An access before its bytes move: where its lanes lie, and whether they are in bounds. The
// fast version guesses that they lie as they did before (SiteWindow); the general one has the
// runtime look at every lane.
#pragma once

#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {

struct Access {
  const Step* step = nullptr;
  uint32_t index = 0;  // of its SiteWindow
  uint32_t site = 0;   // of its record
  ptx::Space space = ptx::Space::kGeneric;
  unsigned element = 4, count = 1;  // bytes, how many
  bool is_store = false, uniform = false;
  bool moves = true;         // false: dropped, nothing but its record is left
  bool picks_lanes = false;  // `lanes` is not the mask under the guard
  bool steady = false;       // its lanes lie the same way from one turn of the loop to the next
  LaneValue address;
  LaneValue full;     // the same address, right also where a 32-bit sum wraps
  V lanes = nullptr;  // who takes part
  V pattern = nullptr;
};

Access make_access(Emitter& e, const Step& step, const Operand& address);
/// Leaves unless the lanes lie as they did when they were last found in bounds, and still are. Once
/// for a group of accesses (Analysis::leader).
void guess_in_bounds(Emitter& e, Access& access);
/// Tells the runtime of a write to shared memory while asynchronous work uses it.
void note_write(Emitter& e, const Access& access);
/// Leaves where the values of shared memory may have been dropped: the runtime looks.
void guess_there(Emitter& e, const Access& access);
/// The runtime checks, records and moves, lane by lane.
void call_access(Emitter& e, const Access& access);

// Of an access that is in bounds by guess.
/// Whether the lanes need no gather, or no scatter.
V is_regular(Emitter& e, const Access& access);
[[nodiscard]] bool goes_by_windows(const Emitter& e, const Access& access);
/// A load of vectors whose lanes may lie anyhow: others leave for the runtime then.
[[nodiscard]] bool has_gathers(const Emitter& e, const Access& access);
V pattern_field(Emitter& e, const Access& access, llvm::Type* type, size_t offset, unsigned align);
V host_address(Emitter& e, const Access& access, V offset);
/// Of every lane: where its bytes from `first` on lie.
V host_addresses(Emitter& e, const Access& access, unsigned first);

}  // namespace warpledger::exec::jit
