// Loads and stores that compiled code cannot tell to be in bounds: indices from data, the first
// turn of a loop. Where all lanes lie in one allocation of global memory, in the block's shared
// memory or on their stacks, as they nearly always do, one look serves all of them; else the
// interpreter's functions look at each.
#include <algorithm>
#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/known_bounds.h"
#include "warpledger/exec/jit/runtime/runtime_memory.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Context;
using reference::Step;
using Places = PerLane<SpaceAddress>;

struct Asked {
  WarpContext& c;
  RunningWarp& warp;
  const Step& step;
  Context context;
  uint32_t lanes = 0;
  Space named = Space::kGeneric;
  uint32_t element = 0, count = 0;  // bytes, how many
  bool stores = false;

  [[nodiscard]] uint64_t bytes() const { return uint64_t{element} * count; }
  [[nodiscard]] reference::Access how() const {
    return stores ? reference::Access::kWrite : reference::Access::kRead;
  }
};

Asked asked_by(WarpContext* c, uint32_t pc, uint32_t lanes) {
  RunningWarp& warp = running(c);
  const Step& step = step_at(warp, pc);
  Asked asked{*c, warp, step, context_at(warp, pc, lanes, lanes), lanes, step.spelling().space()};
  asked.element = static_cast<uint32_t>(step.variant->type[0].bits) / 8;
  asked.count = step.spelling().vector;
  asked.stores = step.spelling().op() == ptx::Op::kSt;
  // Which spaces generic addresses touch, blocks do not tell.
  asked.context.counted_by_blocks = asked.named != Space::kGeneric;
  return asked;
}

bool is_recorded(const Asked& asked) {
  return asked.warp.records || !asked.context.counted_by_blocks;
}

// One lane's elements between memory and the context.
template <class Element>
void move_as(const Asked& asked, int lane, std::byte* at) {
  for (uint32_t i = 0; i < asked.count; ++i, at += sizeof(Element)) {
    uint64_t& word = asked.c.data[i][lane];
    auto value = static_cast<Element>(word);
    if (asked.stores) {
      std::memcpy(at, &value, sizeof value);
    } else {
      std::memcpy(&value, at, sizeof value);
      word = value;
    }
  }
}

void move(const Asked& asked, int lane, std::byte* at) {
  switch (asked.element) {
    case 1:
      return move_as<uint8_t>(asked, lane, at);
    case 2:
      return move_as<uint16_t>(asked, lane, at);
    case 4:
      return move_as<uint32_t>(asked, lane, at);
    default:
      WL_CHECK(asked.element == 8);
      return move_as<uint64_t>(asked, lane, at);
  }
}

/// False, with nothing done, where the lanes are not aligned and in bounds together: which of them
/// is at fault, and of what, the look at each one says.
bool access_at_once(const Asked& asked) {
  if (asked.lanes == 0) return false;
  const LaneExtent all = extent_of(asked.lanes, reinterpret_cast<const uint64_t*>(asked.c.address));
  const uint64_t alignment = std::min<uint64_t>(asked.bytes(), 32);
  if (all.bits % alignment != 0) return false;
  const std::optional<LaneBytes> found =
      find_at_once(asked.warp, asked.named, all, asked.bytes(), asked.how());
  if (!found) return false;
  // One lane's look serves all: compiled code is watched by allocations (ValueWatch::Grain).
  const int first = __builtin_ctz(asked.lanes);
  if (found->low.space == Space::kGlobal &&
      !asked.context.watch(all.low, asked.bytes(), first, asked.how()))
    return true;
  if (!asked.step.dropped) {
    for_each_lane(asked.lanes, [&](int lane) {
      std::byte* low = found->host;
      if (low == nullptr)
        low = asked.warp.warp->stack[static_cast<size_t>(lane)].data() + found->low.offset;
      move(asked, lane, low + (static_cast<uint64_t>(asked.c.address[lane]) - all.low));
    });
  }
  if (is_recorded(asked)) {
    record_at_once(asked.context, asked.step, all, found->low, asked.bytes(),
                   reinterpret_cast<const uint64_t*>(asked.c.address));
  }
  return true;
}

void access_lane(const Asked& asked, int lane, SpaceAddress& at) {
  const Context& context = asked.context;
  const auto address = static_cast<uint64_t>(asked.c.address[lane]);
  at = context.placed(asked.named == Space::kGeneric ? from_generic(address)
                                                     : SpaceAddress{asked.named, address});
  const bool read_only =
      at.space == Space::kConst || (at.space == Space::kParam && at.offset < kStackParam);
  if (asked.stores && read_only)
    return context.fault(asked.step, lane, "write to read-only memory", "read-only-write");
  std::byte* bytes = context.bytes(at, asked.bytes(), lane, asked.how());
  if (bytes != nullptr && !asked.step.dropped) move(asked, lane, bytes);
}

// In a launch with clusters addresses name their CTA. False: not this one. Else its offsets take
// their place, which bounds are remembered of.
bool keep_offsets(const Asked& asked, const Places& places) {
  if (!asked.warp.analysis->clustered || asked.named != Space::kShared) return true;
  bool own = true;
  for_each_lane(asked.lanes, [&](int lane) {
    own = own && places[static_cast<size_t>(lane)].space == Space::kShared;
  });
  if (!own) return false;
  WarpContext& c = asked.c;
  for (int lane = 0; lane < 32; ++lane)
    c.address[lane] = static_cast<int64_t>(
        (asked.lanes >> lane & 1) != 0 ? places[static_cast<size_t>(lane)].offset
                                       : static_cast<uint64_t>(c.address[lane]) - c.rank_bits);
  return true;
}

/// False: bounds that this access found do not hold for the next one.
bool access_each_lane(const Asked& asked) {
  Places places;
  const uint64_t bad_before = bad_accesses(asked.warp);
  for_each_lane(asked.lanes, [&](int lane) {
    if (!asked.context.failed()) access_lane(asked, lane, places[static_cast<size_t>(lane)]);
  });
  if (asked.context.failed()) return false;
  if (is_recorded(asked))
    reference::record_spaces(asked.context, asked.step, places, asked.bytes());
  return keep_offsets(asked, places) && bad_accesses(asked.warp) == bad_before;
}

Known known_of(const Asked& asked, uint32_t pc) {
  const Analysis& analysis = *asked.warp.analysis;
  const reference::Value& at = asked.step.operands[asked.stores ? 0 : 1];
  return {.window = analysis.memory_index[pc],
          .space = asked.named,
          .lanes = asked.lanes,
          .element = asked.element,
          .count = asked.count,
          .by_windows = analysis.holding_of(at) != Holding::kUniform,
          .span = analysis.span[pc]};
}

}  // namespace

int32_t access(WarpContext* c, uint32_t pc, uint32_t lanes, uint64_t scalar) {
  take_records(running(c));
  const Asked asked = asked_by(c, pc, lanes);
  const bool holds = access_at_once(asked) || access_each_lane(asked);
  if (asked.context.failed()) return 1;
  RunningWarp& warp = asked.warp;
  if (holds && warp.analysis->leader[pc] == pc)
    remember(warp, known_of(asked, pc), c->address, scalar);
  give_records(warp, warp.room);
  return 0;
}

}  // namespace warpledger::exec::jit
