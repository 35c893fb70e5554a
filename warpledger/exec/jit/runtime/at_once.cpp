// One look at all lanes of an access: nearly always they lie in one allocation of global memory, in
// the block's shared memory or on their stacks.
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/runtime/runtime_memory.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Access;

std::optional<LaneBytes> find_shared(const RunningWarp& warp, const SpaceAddress& low,
                                     uint64_t bytes, Access how) {
  reference::Cta& cta = *warp.cta;
  if (bytes > cta.shared.size() || low.offset > cta.shared.size() - bytes) return {};
  const bool writes = how != Access::kRead, reads = how != Access::kWrite;
  const bool is_watched =
      (reads && warp.analysis->guesses) ||
      (writes && !reference::concerns_nobody(cta.use, warp.engine->slice().guessed, low.offset,
                                             low.offset + bytes));
  if (warp.analysis->clustered || is_watched) return {};
  return LaneBytes{low, cta.shared.data() + low.offset};
}

}  // namespace

std::optional<LaneBytes> find_at_once(const RunningWarp& warp, Space named, const LaneExtent& all,
                                      uint64_t bytes_per_lane, Access how) {
  const uint64_t apart = all.high - all.low;
  if (apart > UINT64_MAX - bytes_per_lane) return {};  // lanes at both ends of all addresses
  const uint64_t bytes = apart + bytes_per_lane;
  const SpaceAddress low =
      named == Space::kGeneric ? from_generic(all.low) : SpaceAddress{named, all.low};
  if (low.space == Space::kShared) return find_shared(warp, low, bytes, how);
  if (low.space == Space::kLocal) {
    const size_t end = warp.warp->stack[0].size();  // of each lane's
    if (bytes > end || low.offset > end - bytes) return {};
    return LaneBytes{low, nullptr};
  }
  if (low.space != Space::kGlobal) return {};
  std::byte* host = warp.engine->image().memory().find(all.low, bytes);
  if (host == nullptr) return {};
  return LaneBytes{low, host};
}

void record_at_once(const reference::Context& context, const reference::Step& step,
                    const LaneExtent& all, const SpaceAddress& low, uint64_t bytes,
                    const uint64_t* address) {
  reference::Accessed accessed{.lanes = context.lanes};
  const uint64_t window = all.low - low.offset;
  for (size_t lane = 0; lane < accessed.address.size(); ++lane)
    accessed.address[lane] = address[lane] - window;
  uint32_t site = 0;
  if (step.spelling().space() == Space::kGeneric)
    site = low.space == Space::kShared ? 1 : low.space == Space::kLocal ? 2 : 0;
  reference::record(context, step, low.space, site, accessed, bytes);
}

}  // namespace warpledger::exec::jit
