#include "warpledger/exec/jit/runtime/runtime_memory.h"

#include <algorithm>
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

LaneExtent extent_of(uint32_t lanes, const uint64_t* address) {
  LaneExtent all;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    // Without a branch, so that lanes are looked at side by side.
    const uint64_t takes_part = -(uint64_t{lanes} >> lane & 1);
    all.low = std::min(all.low, address[lane] | ~takes_part);
    all.high = std::max(all.high, address[lane] & takes_part);
    all.bits |= address[lane] & takes_part;
  }
  return all;
}

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

reference::Accessed addressed(const WarpContext& c, const reference::Value& at, uint32_t lanes) {
  reference::Accessed accessed{.lanes = lanes};
  accessed.address.fill(at.value);
  if (at.kind != reference::Value::Kind::kIndirect) return accessed;
  const uint64_t* registers = c.registers + size_t{at.slot} * 32;
  const uint64_t bits = at.bits == 32 ? 0xffffffff : ~uint64_t{0};
  for (size_t lane = 0; lane < 32; ++lane)
    accessed.address[lane] = (accessed.address[lane] + registers[lane]) & bits;
  return accessed;
}

namespace {

/// What is left of a dropped copy: bounds and records. False, with nothing done, where a look at
/// each lane has to say what is wrong.
bool copy_at_once(WarpContext& c, const Context& context, const Step& step, uint32_t sources) {
  RunningWarp& warp = running(&c);
  if (!step.dropped || warp.analysis->clustered || context.lanes == 0) return false;
  const uint64_t size = step.operands[2].value;
  const reference::Accessed to = addressed(c, step.operands[0], context.lanes),
                            from = addressed(c, step.operands[1], sources);
  const LaneExtent target = extent_of(to.lanes, to.address.data()),
                   source = extent_of(from.lanes, from.address.data());
  const uint64_t end = context.cta.shared.size();
  if ((target.bits | source.bits) % size != 0 || end < size || target.high > end - size)
    return false;
  if (!reference::concerns_nobody(context.cta.use, context.engine.slice().guessed, target.low,
                                  target.high + size))
    return false;
  const bool is_there = sources == 0 || context.engine.image().memory().find(
                                            source.low, source.high - source.low + size) != nullptr;
  if (!is_there) return false;
  c.acted = 1;
  if (!warp.records) return true;
  take_records(warp);
  reference::write_record(context, step.site, from);
  reference::write_record(context, step.site + 1, to);
  give_records(warp, warp.room);
  return true;
}

}  // namespace

int32_t copy(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes, uint32_t sources,
             uint64_t from, uint64_t to) {
  RunningWarp& warp = running(c);
  const uint64_t bad_before = bad_accesses(warp);
  const bool is_done =
      copy_at_once(*c, context_at(warp, pc, mask, lanes), step_at(warp, pc), sources);
  if (!is_done && interpret_counted(c, pc, mask, lanes) != 0) return 1;
  c->counts[CountPlaces(*warp.analysis).sources(pc)] +=
      static_cast<uint64_t>(__builtin_popcount(sources));
  if (warp.analysis->leader[pc] != pc || bad_accesses(warp) != bad_before) return 0;
  const Step& step = step_at(warp, pc);
  const Context context = context_at(warp, pc, mask, lanes);
  const auto words = static_cast<uint32_t>(step.operands[2].value) / 4;
  const uint32_t window = warp.analysis->memory_index[pc];
  for (const bool target : {false, true}) {
    const Space space = target ? Space::kShared : Space::kGlobal;
    reference::Accessed at = addressed(*c, step.operands[target ? 0 : 1], lanes);
    if (target && warp.analysis->clustered) {
      for_each_lane(lanes, [&](int lane) {
        at.address[static_cast<size_t>(lane)] =
            context.address(step.operands[0], space, lane).offset;
      });
    }
    int64_t address[32];
    std::memcpy(address, at.address.data(), sizeof address);
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
  const LaneExtent all = extent_of(lanes, reinterpret_cast<const uint64_t*>(c->address));
  const bool is_own = !running(c).analysis->clustered;
  if (is_own && lanes != 0 &&
      reference::concerns_nobody(context.cta.use, context.engine.slice().guessed, all.low,
                                 all.high + bytes))
    return 0;
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
