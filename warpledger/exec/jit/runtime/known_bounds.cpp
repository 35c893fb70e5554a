#include "warpledger/exec/jit/runtime/known_bounds.h"

#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;

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

}  // namespace

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

uint64_t bad_accesses(const RunningWarp& warp) {
  const BadAccesses* noted = warp.engine->limits().bad_accesses;
  return noted == nullptr ? 0 : noted->total();
}

}  // namespace warpledger::exec::jit
