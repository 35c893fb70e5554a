#include "warpledger/gpu/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"

namespace warpledger {
namespace {

BlockNeeds with_smem(BlockNeeds needs, int64_t bytes) {
  needs.static_smem_bytes = 0;
  needs.dynamic_smem_bytes = bytes;
  return needs;
}

// The largest value in [low, from) for which the block holds more warps; occupancy never grows with
// registers or shared memory, so bisection finds it.
std::optional<Change> less_of(const Architecture& a, const Launch& launch, SweepAxis axis) {
  const BlockNeeds needs = needs_of(launch);
  const bool registers = axis == SweepAxis::kRegisters;
  const int64_t from =
      registers ? needs.registers_per_thread : needs.static_smem_bytes + needs.dynamic_smem_bytes;
  const auto warps = [&](int64_t value) {
    BlockNeeds changed = registers ? needs : with_smem(needs, value);
    if (registers) changed.registers_per_thread = value;
    return occupancy(a, changed)->warps_per_sm();
  };
  const int64_t before = warps(from);
  int64_t low = registers ? 1 : 0, high = from;
  if (from <= low || warps(low) <= before) return std::nullopt;
  while (high - low > 1) {  // warps(low) > before >= warps(high)
    const int64_t middle = low + (high - low) / 2;
    (warps(middle) > before ? low : high) = middle;
  }
  return Change{axis, from, low, before, warps(low)};
}

std::optional<Change> other_block(const Architecture& a, const Launch& launch) {
  BlockNeeds needs = needs_of(launch);
  const int64_t from = needs.threads;
  const int64_t before = occupancy(a, needs)->warps_per_sm();
  std::optional<Change> best;
  const int64_t warp = a.execution.warp_size.value;
  for (int64_t threads = warp; threads <= a.execution.max_threads_per_block.value;
       threads += warp) {
    needs.threads = threads;
    const int64_t after = occupancy(a, needs)->warps_per_sm();
    if (after <= before) continue;
    if (!best || std::abs(threads - from) < std::abs(best->to - from))
      best = Change{SweepAxis::kBlock, from, threads, before, after};
  }
  return best;
}

double relative_size(const Change& change) {
  return static_cast<double>(std::abs(change.to - change.from)) / static_cast<double>(change.from);
}

StageRoom room(const Architecture& a, const Launch& launch, int64_t blocks, int64_t buffer_bytes) {
  const SharedMemoryFacts& smem = a.shared_memory;
  const int64_t unit = smem.alloc_unit_bytes.value;
  const int64_t share = smem.carveouts_kib.value.back() * 1024 / blocks / unit * unit;
  const int64_t most =
      std::min(share - smem.reserved_bytes_per_block.value, smem.bytes_per_block_optin.value);
  const int64_t used = launch.static_smem_bytes + launch.dynamic_smem_bytes;
  const int64_t free_bytes = std::max<int64_t>(0, most - used);
  return {blocks, free_bytes, free_bytes / buffer_bytes};
}

}  // namespace

Result<Advice> advise(const Gpu& gpu, const Launch& launch) {
  const Architecture& a = gpu.architecture;
  WL_TRY(const Occupancy now, launchable(gpu, launch));
  Advice advice{now.warps_per_sm(), a.execution.max_warps_per_sm.value, now.limited_by, {}};
  if (advice.warps_per_sm == advice.max_warps_per_sm) return advice;
  for (const auto& change : {less_of(a, launch, SweepAxis::kRegisters),
                             less_of(a, launch, SweepAxis::kSharedMemory), other_block(a, launch)})
    if (change) advice.changes.push_back(*change);
  std::stable_sort(
      advice.changes.begin(), advice.changes.end(),
      [](const Change& x, const Change& y) { return relative_size(x) < relative_size(y); });
  return advice;
}

std::string to_text(const Change& change) {
  const int64_t size = std::abs(change.to - change.from);
  const char* direction = change.to < change.from ? "less" : "more";
  std::string what;
  switch (change.axis) {
    case SweepAxis::kBlock:
      what = fmt::format("{} threads per block instead of {}", change.to, change.from);
      break;
    case SweepAxis::kRegisters:
      what = fmt::format("{} register{} {} per thread", size, size == 1 ? "" : "s", direction);
      break;
    case SweepAxis::kSharedMemory:
      what =
          fmt::format("{} bytes {} of shared memory per block", group_thousands(size), direction);
      break;
  }
  return fmt::format("{}: {} -> {} warps", what, change.warps_before, change.warps_after);
}

std::string to_text(const Advice& advice) {
  std::vector<std::string_view> names;
  for (const Resource resource : advice.limited_by) names.push_back(to_text(resource));
  std::string text = fmt::format("{} of {} warps, limited by {}", advice.warps_per_sm,
                                 advice.max_warps_per_sm, fmt::join(names, " and "));
  if (advice.warps_per_sm == advice.max_warps_per_sm) return text + ": the SM is full";
  if (advice.changes.empty()) return text + "; changing one quantity alone does not raise it";
  return text + "; " + to_text(advice.changes.front());
}

Result<Stages> max_stages(const Gpu& gpu, const Launch& launch, int64_t buffer_bytes) {
  if (buffer_bytes <= 0)
    return Diagnostic{.message = "a buffer needs at least one byte", .code = "bad-launch"};
  WL_TRY(const Occupancy now, launchable(gpu, launch));
  return Stages{room(gpu.architecture, launch, now.blocks_per_sm, buffer_bytes),
                room(gpu.architecture, launch, 1, buffer_bytes)};
}

}  // namespace warpledger
