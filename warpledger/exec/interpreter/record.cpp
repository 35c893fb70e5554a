// What the interpreter writes into the trace.
#include <algorithm>
#include <limits>

#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {
namespace {

// Shapes that do not come again fill the table; beyond this many, records are raw.
constexpr uint32_t kMostShapes = 16'384;

std::optional<trace::Record> regular(Engine& engine, const Accessed& accessed, uint32_t site) {
  trace::Shape shape{.mask = accessed.lanes};
  const uint64_t first = accessed.address[static_cast<size_t>(__builtin_ctz(accessed.lanes))];
  bool fits = engine.shapes().size() < kMostShapes;
  for_each_lane(accessed.lanes, [&](int lane) {
    const auto offset = static_cast<int64_t>(accessed.address[static_cast<size_t>(lane)] - first);
    using Limits = std::numeric_limits<int32_t>;
    fits &= offset >= Limits::min() && offset <= Limits::max();
    shape.offset[static_cast<size_t>(lane)] = static_cast<int32_t>(offset);
  });
  if (!fits) return {};
  const auto id = engine.shapes().intern(shape);
  if (!id) return {};
  return trace::Record{first, *id, site};
}

void count(Statistics::Accesses& accesses, const trace::Site& site, Lanes lanes, uint64_t bytes) {
  if (passes_load_store_unit(site)) {
    switch (effect_of(site)) {
      case trace::Effect::kRead:
        ++accesses.loads;
        break;
      case trace::Effect::kWrite:
        ++accesses.stores;
        break;
      case trace::Effect::kUpdate:
        ++accesses.atomics;
        break;
    }
  }
  const auto active = static_cast<uint64_t>(__builtin_popcount(lanes));
  accesses.lanes += active;
  accesses.bytes += active * bytes;
}

}  // namespace

void record(const Context& context, const Step& step, ptx::Space space, uint32_t site_offset,
            const Accessed& accessed, uint64_t bytes_per_lane) {
  Engine& engine = context.engine;
  const uint32_t site = step.site + site_offset;
  if (!context.counted_by_blocks) {
    auto& accesses = engine.counts(context.cta).by_space[static_cast<size_t>(trace_space(space))];
    count(accesses, engine.program().sites[site], accessed.lanes, bytes_per_lane);
  }
  trace::Buffer& buffer = engine.buffer(context.cta, context.warp);
  if (accessed.lanes == 0) return buffer.push({0, trace::kNoLanes, site});
  if (const auto one = regular(engine, accessed, site)) return buffer.push(*one);
  buffer.push_raw(accessed.lanes, site, accessed.address);
}

void record_spaces(const Context& context, const Step& step, const PerLane<SpaceAddress>& places,
                   uint64_t bytes_per_lane) {
  using ptx::Space;
  const Space named = step.spelling().space();
  const bool generic = named == Space::kGeneric;
  if (named == Space::kParam) return;
  if (context.lanes == 0) {
    return record(context, step, generic ? Space::kGlobal : named, 0, {}, bytes_per_lane);
  }
  constexpr Space kSpaces[] = {Space::kGlobal, Space::kShared, Space::kLocal, Space::kConst};
  for (uint32_t i = 0; i < std::size(kSpaces); ++i) {
    Accessed accessed;
    for_each_lane(context.lanes, [&](int lane) {
      const SpaceAddress& at = places[static_cast<size_t>(lane)];
      if ((at.space == Space::kSharedCluster ? Space::kShared : at.space) != kSpaces[i]) return;
      accessed.lanes |= 1u << lane;
      accessed.address[static_cast<size_t>(lane)] = offset_in_window(at);
    });
    if (accessed.lanes == 0) continue;
    record(context, step, kSpaces[i], generic ? i : 0, accessed, bytes_per_lane);
  }
}

}  // namespace warpledger::exec::reference
