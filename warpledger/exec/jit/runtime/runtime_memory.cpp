#include "warpledger/exec/jit/runtime/runtime_memory.h"

#include <cstring>

#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/known_bounds.h"
#include "warpledger/exec/jit/runtime/matrix_move.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Space;
using reference::Context;
using reference::Step;

int32_t move_matrices(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes, uint64_t scalar) {
  if (lanes != ~0u) return interpret(c, pc, mask, lanes);  // nothing to do, or a fault
  RunningWarp& warp = running(c);
  const Step& step = step_at(warp, pc);
  take_records(warp);
  Context context = context_at(warp, pc, mask, lanes);
  context.counted_by_blocks = true;
  const uint64_t bad_before = bad_accesses(warp);
  if (!move_matrix(*c, context, step, warp.records)) return 1;
  const int rows = 8 * matrices_of(step);
  if (warp.analysis->leader[pc] == pc && bad_accesses(warp) == bad_before) {
    remember(warp,
             {.window = warp.analysis->memory_index[pc],
              .space = Space::kShared,
              .lanes = rows == 32 ? ~0u : (1u << rows) - 1,
              .span = warp.analysis->span[pc]},
             c->address, scalar);
  }
  if (warp.records) give_records(warp, warp.room);
  return 0;
}

void move_known_rows(WarpContext* c, uint32_t pc) {
  const Step& step = step_at(running(c), pc);
  std::byte* rows[32];
  for (int row = 0; row < 8 * matrices_of(step); ++row)
    rows[row] = reinterpret_cast<std::byte*>(c->shared + static_cast<uint64_t>(c->address[row]));
  move_rows(*c, step, rows);
}

int32_t copy(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes, uint32_t sources,
             uint64_t from, uint64_t to) {
  RunningWarp& warp = running(c);
  const uint64_t bad_before = bad_accesses(warp);
  if (interpret_counted(c, pc, mask, lanes) != 0) return 1;
  c->counts[CountPlaces(*warp.analysis).sources(pc)] +=
      static_cast<uint64_t>(__builtin_popcount(sources));
  if (warp.analysis->leader[pc] != pc || bad_accesses(warp) != bad_before) return 0;
  const Step& step = step_at(warp, pc);
  const Context context = context_at(warp, pc, mask, lanes);
  const auto words = static_cast<uint32_t>(step.operands[2].value) / 4;
  const uint32_t window = warp.analysis->memory_index[pc];
  for (const bool target : {false, true}) {
    const Space space = target ? Space::kShared : Space::kGlobal;
    int64_t address[32] = {};
    for_each_lane(lanes, [&](int lane) {
      address[lane] =
          static_cast<int64_t>(context.address(step.operands[target ? 0 : 1], space, lane).offset);
    });
    remember(warp,
             {.window = window + (target ? 1 : 0),
              .space = space,
              .lanes = target ? lanes : sources,
              .count = words},
             address, target ? to : from);
  }
  return 0;
}

int32_t note_writes(WarpContext* c, uint32_t pc, uint32_t lanes, uint32_t bytes) {
  const Context context = context_at(running(c), pc, lanes, lanes);
  bool fine = true;
  for_each_lane(lanes, [&](int lane) {
    const SpaceAddress at{Space::kShared, static_cast<uint64_t>(c->address[lane])};
    fine = fine && reference::note_write(context, at, bytes, lane);
  });
  return fine ? 0 : 1;
}

void queue_copy(WarpContext* c, uint32_t bytes, uint32_t lanes, uint32_t sources) {
  if (lanes == 0) return;
  reference::PendingCopies::Copy& copy = running(c).warp->copies.add(lanes, bytes);
  std::memcpy(copy.to.data(), c->data[0], sizeof copy.to);
  for_each_lane(sources, [&](int lane) {
    const uint64_t at = c->global + static_cast<uint64_t>(c->address[lane]);
    std::memcpy(copy.data[lane], reinterpret_cast<const std::byte*>(at), bytes);
  });
}

void commit_copies(WarpContext* c, uint32_t lanes) { running(c).warp->copies.commit(lanes); }

void wait_copies(WarpContext* c, uint32_t lanes, uint64_t left) {
  RunningWarp& warp = running(c);
  if (left == kNoGroupLeft) return warp.warp->copies.finish_all(warp.cta->shared, lanes);
  warp.warp->copies.finish(warp.cta->shared, lanes, left);
}

}  // namespace warpledger::exec::jit
