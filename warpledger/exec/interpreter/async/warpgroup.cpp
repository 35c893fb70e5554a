#include "warpledger/exec/interpreter/async/warpgroup.h"

#include <algorithm>
#include <span>
#include <utility>

#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

std::span<Warp> warpgroup_of(Cta& cta, const Warp& warp) {
  const size_t first = warp.index / kWarpgroupWarps * kWarpgroupWarps;
  return std::span(cta.warps).subspan(first,
                                      std::min<size_t>(kWarpgroupWarps, cta.warps.size() - first));
}

/// Pre: `groups` <= matrix.committed.
void end_reads_until(Cta& cta, MatrixGroups& matrix, uint64_t groups) {
  const uint64_t waited_for = matrix.committed - matrix.groups.size();
  for (; matrix.read < groups; ++matrix.read) {
    for (const MatrixWork& work : matrix.groups[matrix.read - waited_for])
      end_reads(cta.use, work.reads);
  }
}

}  // namespace

void commit_products(Cta& cta, Warp& warp) {
  warp.matrix.groups.push_back(std::exchange(warp.matrix.open, {}));
  ++warp.matrix.committed;
  release_warpgroup(cta, warp);
}

bool complete_products(Cta& cta, const Warp& warp, uint64_t groups) {
  const std::span<Warp> warps = warpgroup_of(cta, warp);
  const bool issued = std::ranges::all_of(
      warps, [&](const Warp& one) { return one.alive == 0 || one.matrix.committed >= groups; });
  if (!issued) return false;
  for (Warp& one : warps) end_reads_until(cta, one.matrix, std::min(groups, one.matrix.committed));
  return true;
}

void release_warpgroup(Cta& cta, const Warp& warp) {
  for (Warp& one : warpgroup_of(cta, warp)) {
    for (Fragment& fragment : one.fragments)
      if (fragment.wait == Fragment::Wait::kProducts) fragment.wait = Fragment::Wait::kReady;
  }
}

}  // namespace warpledger::exec::reference
