#include "warpledger/profile/run/warp_paths.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpledger::profile {
namespace {

using trace::SyncEvent;

std::vector<uint32_t> sorted(const std::set<uint32_t>& all) { return {all.begin(), all.end()}; }

uint32_t place_in(const std::vector<uint32_t>& all, uint32_t one) {
  return static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), one) - all.begin());
}

sm::SyncOp::Kind kind_of(SyncEvent::Kind kind) {
  using Op = sm::SyncOp::Kind;
  switch (kind) {
    case SyncEvent::Kind::kInit:
      return Op::kInit;
    case SyncEvent::Kind::kArrive:
      return Op::kArrive;
    case SyncEvent::Kind::kWait:
      return Op::kWait;
    case SyncEvent::Kind::kCopy:
      return Op::kCopy;
    case SyncEvent::Kind::kProduct:
      return Op::kProduct;
    case SyncEvent::Kind::kCommit:
      return Op::kCommit;
  }
  return Op::kInit;
}

/// Operations of all warps; instructions and barriers by their place among those of the block.
void set_operations(const trace::BlockLog& log, sm::Paths& paths) {
  std::set<uint32_t> instructions, barriers;
  for (const trace::WarpLog& warp : log.warps) {
    for (const SyncEvent& event : warp.events) {
      instructions.insert(event.instruction);
      barriers.insert(event.barrier);
    }
  }
  paths.instructions = sorted(instructions);
  paths.barriers = static_cast<uint32_t>(barriers.size());
  const std::vector<uint32_t> places = sorted(barriers);
  for (const trace::WarpLog& warp : log.warps) {
    std::vector<sm::SyncOp>& ops = paths.ops.emplace_back();
    for (const SyncEvent& event : warp.events)
      ops.push_back({.kind = kind_of(event.kind),
                     .parity = event.parity,
                     .continues = event.continues,
                     .stream = place_in(paths.instructions, event.instruction),
                     .barrier = place_in(places, event.barrier),
                     .count = event.count,
                     .bytes = event.bytes});
  }
}

/// Warps that executed the same, and have operations at the same instructions, go the same way.
using Way = std::pair<std::vector<uint64_t>, std::set<uint32_t>>;

Way way_of(const trace::WarpLog& warp) {
  Way way{warp.executions, {}};
  for (const SyncEvent& event : warp.events) way.second.insert(event.instruction);
  return way;
}

}  // namespace

std::optional<sm::Paths> warp_paths(const ptx::Module& module, const sass::KernelWitness& kernel,
                                    const FirstNumbers& numbers, const trace::BlockLog& log,
                                    bool has_diverged, const sass::Shares& shares) {
  if (!log.is_whole) return {};
  sm::Paths paths;
  set_operations(log, paths);
  std::map<Way, uint32_t> roles;
  for (const trace::WarpLog& warp : log.warps) {
    const auto [found, is_new] =
        roles.try_emplace(way_of(warp), static_cast<uint32_t>(roles.size()));
    paths.role.push_back(found->second);
    if (!is_new) continue;
    sass::BlockCounts counts = block_counts(module, numbers, warp.executions);
    counts.has_diverged = has_diverged;
    counts.shares = shares;
    const std::vector<uint64_t> blocks = sass::count_sass(module, kernel, counts).blocks;
    paths.executions.emplace_back(blocks.begin(), blocks.end());
  }
  return paths;
}

}  // namespace warpledger::profile
