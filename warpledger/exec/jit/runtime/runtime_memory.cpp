#include "warpledger/exec/jit/runtime/runtime_memory.h"

#include <cstring>

#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/matrix_move.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Context;
using reference::Step;

struct Range {
  uint64_t start = 0, bytes = 0;
  bool is_padded = false;  // windows may read behind it
};

// What surrounds an address that is in bounds.
Range range_around(const RunningWarp& warp, Space space, uint64_t address) {
  if (space == Space::kShared) return {0, warp.cta->shared.size(), true};
  if (space == Space::kConst) return {0, warp.engine->image().constants().size(), true};
  const auto& allocations = warp.engine->image().memory().allocations();
  const auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return {};
  const Allocation& found = std::prev(after)->second;
  return {found.address, found.bytes};
}

/// An access that was in bounds.
struct Known {
  uint32_t window = 0;
  Space space = Space::kGlobal;
  uint32_t lanes = 0;
  uint32_t element = 4, count = 4;
  bool by_windows = false;  // it, or another one of its group, may be a load by windows
  std::pair<int64_t, int64_t> span = {0, 0};  // Analysis::span
};

// The next execution with these lanes finds itself in bounds without asking.
void remember(RunningWarp& warp, const Known& known, const int64_t (&address)[32],
              uint64_t scalar) {
  if (known.lanes == 0) return;
  int64_t offset[32];
  for (size_t lane = 0; lane < 32; ++lane)
    offset[lane] = static_cast<int64_t>(static_cast<uint64_t>(address[lane]) - scalar);
  const Pattern* pattern = warp.patterns->find(offset, known.lanes, known.element, known.count);
  const Range range = range_around(warp, known.space, scalar + static_cast<uint64_t>(pattern->low));
  const auto [low, high] = known.span;
  const uint64_t behind = known.by_windows && !range.is_padded ? pattern->reach : 0;
  const uint64_t extent = pattern->extent + static_cast<uint64_t>(high - low) + behind;
  if (!pattern->aligned || !pattern->recorded || range.bytes < extent) return;
  const uint64_t starts = range.bytes + 1 - extent;  // that the group's lowest lane may have
  warp.context.windows[known.window] = {pattern,
                                        range.start - static_cast<uint64_t>(pattern->low + low),
                                        (starts + pattern->width - 1) / pattern->width};
}

using Places = PerLane<SpaceAddress>;

// How many were noted so far. An access among which there was one is not remembered.
uint64_t bad_accesses(const RunningWarp& warp) {
  const BadAccesses* noted = warp.engine->limits().bad_accesses;
  return noted == nullptr ? 0 : noted->total();
}

// In a launch with clusters addresses name their CTA. False: not this one. Else its offsets take
// their place, which bounds are remembered of.
bool keep_offsets(WarpContext& c, uint32_t lanes, Space named, const Places& places) {
  if (named != Space::kShared) return true;
  bool own = true;
  for_each_lane(lanes, [&](int lane) {
    own = own && places[static_cast<size_t>(lane)].space == Space::kShared;
  });
  if (!own) return false;
  for (int lane = 0; lane < 32; ++lane)
    c.address[lane] = static_cast<int64_t>(
        (lanes >> lane & 1) != 0 ? places[static_cast<size_t>(lane)].offset
                                 : static_cast<uint64_t>(c.address[lane]) - c.rank_bits);
  return true;
}

// One lane's elements between memory and the context.
void move(WarpContext* c, const Step& step, int lane, std::byte* at) {
  const auto element = static_cast<size_t>(step.variant->type[0].bits) / 8;
  const bool stores = step.spelling().op() == ptx::Op::kSt;
  for (uint32_t i = 0; i < step.spelling().vector; ++i) {
    uint64_t& word = c->data[i][lane];
    if (stores) {
      std::memcpy(at + i * element, &word, element);
    } else {
      word = 0;
      std::memcpy(&word, at + i * element, element);
    }
  }
}

}  // namespace

int32_t access(WarpContext* c, uint32_t pc, uint32_t lanes, uint64_t scalar) {
  RunningWarp& warp = running(c);
  const Step& step = step_at(warp, pc);
  take_records(warp);
  Context context = context_at(warp, pc, lanes, lanes);
  const bool stores = step.spelling().op() == ptx::Op::kSt;
  const Space named = step.spelling().space();
  const uint64_t bytes =
      static_cast<uint64_t>(step.variant->type[0].bits) / 8 * step.spelling().vector;
  Places places;
  const uint64_t bad_before = bad_accesses(warp);
  for_each_lane(lanes, [&](int lane) {
    if (context.failed()) return;
    const auto address = static_cast<uint64_t>(c->address[lane]);
    const SpaceAddress at = context.placed(named == Space::kGeneric ? from_generic(address)
                                                                    : SpaceAddress{named, address});
    places[static_cast<size_t>(lane)] = at;
    if (stores &&
        (at.space == Space::kConst || (at.space == Space::kParam && at.offset < kStackParam))) {
      return context.fault(step, lane, "write to read-only memory", "read-only-write");
    }
    const auto how = stores ? reference::Access::kWrite : reference::Access::kRead;
    std::byte* bytes_there = context.bytes(at, bytes, lane, how);
    if (bytes_there != nullptr && !step.dropped) move(c, step, lane, bytes_there);
  });
  if (context.failed()) return 1;
  // Which spaces generic addresses touch, blocks do not tell.
  context.counted_by_blocks = named != Space::kGeneric;
  if (warp.records || !context.counted_by_blocks)
    reference::record_spaces(context, step, places, bytes);
  const bool own = !warp.analysis->clustered || keep_offsets(*c, lanes, named, places);
  if (warp.analysis->leader[pc] == pc && own && bad_accesses(warp) == bad_before) {
    const auto element = static_cast<uint32_t>(step.variant->type[0].bits) / 8;
    const reference::Value& at = step.operands[stores ? 0 : 1];
    remember(warp,
             {.window = warp.analysis->memory_index[pc],
              .space = named,
              .lanes = lanes,
              .element = element,
              .count = step.spelling().vector,
              .by_windows = warp.analysis->holding_of(at) != Holding::kUniform,
              .span = warp.analysis->span[pc]},
             c->address, scalar);
  }
  give_records(warp, warp.room);
  return 0;
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
