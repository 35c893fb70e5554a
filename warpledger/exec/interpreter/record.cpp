// What the interpreter writes into the trace.
#include <algorithm>
#include <limits>

#include "warpledger/exec/decode/trace_sites.h"
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

void count(Statistics::Accesses& accesses, trace::Kind kind, Lanes lanes, uint64_t bytes) {
  switch (kind) {
    case trace::Kind::kLoad:
    case trace::Kind::kLoadMatrix:
      ++accesses.loads;
      break;
    case trace::Kind::kStore:
    case trace::Kind::kStoreMatrix:
      ++accesses.stores;
      break;
    case trace::Kind::kAtomic:
    case trace::Kind::kCompareSwap:
    case trace::Kind::kReduction:
      ++accesses.atomics;
      break;
    default:
      break;
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
  const trace::Site& described = engine.program().sites[site];
  auto& accesses = engine.counts(context.cta).by_space[static_cast<size_t>(trace_space(space))];
  count(accesses, described.kind, accessed.lanes, bytes_per_lane);
  if (described.kind == trace::Kind::kAsyncCopy) {
    ++(described.space == trace::Space::kGlobal ? accesses.loads : accesses.stores);
  }
  trace::Buffer& buffer = engine.buffer(context.cta, context.warp);
  if (accessed.lanes == 0) return buffer.push({0, trace::kNoLanes, site});
  if (const auto one = regular(engine, accessed, site)) return buffer.push(*one);
  buffer.push_raw(accessed.lanes, site, accessed.address);
}

}  // namespace warpledger::exec::reference
