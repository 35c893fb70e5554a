// What the interpreter writes into the trace.
#include "warpledger/exec/decode/access_record.h"
#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {
void record(const Context& context, const Step& step, ptx::Space space, uint32_t site_offset,
            const Accessed& accessed, uint64_t bytes_per_lane) {
  Engine& engine = context.engine;
  const uint32_t site = step.site + site_offset;
  if (!context.counted_by_blocks) {
    auto& accesses = engine.counts(context.cta).by_space[static_cast<size_t>(trace_space(space))];
    count_access(accesses, engine.program().sites[site], accessed.lanes, bytes_per_lane);
  }
  write_record(context, site, accessed);
}

void write_record(const Context& context, uint32_t site, const Accessed& accessed) {
  Engine& engine = context.engine;
  write_access(engine.buffer(context.cta, context.warp), engine.shapes(), site, accessed.lanes,
               accessed.address);
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
