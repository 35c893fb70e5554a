#include "warpledger/gpu/launch.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"

namespace warpledger {
namespace {

constexpr int64_t kKib = 1024;
constexpr double kMostBlocks = 1125899906842624.0;       // keeps threads below 2^63
constexpr Extent kMaxGrid = {2147483647, 65535, 65535};  // CUDA guide, all compute capabilities

Diagnostic refused(std::string message, std::string hint = {}) {
  return {.message = std::move(message), .hint = std::move(hint), .code = "launch-refused"};
}

Status check_extents(const Architecture& architecture, const Launch& launch) {
  const std::vector<int64_t>& most = architecture.execution.max_block_dims.value;
  for (size_t i = 0; i < 3; ++i) {
    const char axis = "xyz"[i];
    if (launch.grid[i] < 1 || launch.block[i] < 1)
      return refused(fmt::format("grid and block need at least 1 in {}", axis));
    if (launch.grid[i] > kMaxGrid[i])
      return refused(fmt::format("a grid of {} in {} is more than {}",
                                 group_thousands(launch.grid[i]), axis,
                                 group_thousands(kMaxGrid[i])));
    if (launch.block[i] > most[i])
      return refused(fmt::format("a block of {} in {} is more than {}",
                                 group_thousands(launch.block[i]), axis, most[i]));
  }
  const double blocks = static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
                        static_cast<double>(launch.grid[2]);
  const double threads = static_cast<double>(launch.block[0]) *
                         static_cast<double>(launch.block[1]) *
                         static_cast<double>(launch.block[2]);
  if (threads > static_cast<double>(architecture.execution.max_threads_per_block.value))
    return refused(fmt::format("{:.0f} threads per block are more than {}", threads,
                               architecture.execution.max_threads_per_block.value));
  if (blocks > kMostBlocks) return refused("a grid of more than 2^50 blocks would never finish");
  return {};
}

// Why occupancy() answered no blocks, in the words of the resource that is short.
Diagnostic reason(const Gpu& gpu, const Launch& launch, const Occupancy& found) {
  const Architecture& a = gpu.architecture;
  const int64_t threads = volume(launch.block);
  if (found.limits.warps == 0)
    return refused(
        fmt::format("{} threads are more warps than an SM of {} holds", threads, gpu.id));
  if (found.limits.registers == 0) {
    const int64_t most = a.execution.max_regs_per_block.value / round_up(threads, 128);
    return refused(fmt::format("{} registers for each of {} threads do not fit into one SM of {}",
                               launch.registers_per_thread, threads, gpu.id),
                   fmt::format("at most {} registers per thread with this block",
                               std::min(most / 8 * 8, a.execution.max_regs_per_thread.value)));
  }
  if (found.limits.barriers == 0)
    return refused(fmt::format("{} barriers per block are more than an SM of {} has",
                               launch.barriers, gpu.id));
  return refused(fmt::format("{} bytes of shared memory per block are more than {} of {}",
                             group_thousands(launch.static_smem_bytes + launch.dynamic_smem_bytes),
                             group_thousands(a.shared_memory.bytes_per_block_optin.value), gpu.id));
}

// The carve-out that the driver chooses, see launch.h.
int64_t configured_smem(const Architecture& a, const Launch& launch, const BlockLimits& limits) {
  const SharedMemoryFacts& smem = a.shared_memory;
  const int64_t allocated = allocated_smem_bytes(a, needs_of(launch));
  if (launch.carveout_kib)
    return carveout_holding(smem.carveouts_kib.value,
                            std::max(*launch.carveout_kib * kKib, allocated));
  if (launch.cache == CachePreference::kShared) return smem.carveouts_kib.value.back() * kKib;
  const int64_t asked = launch.static_smem_bytes + launch.dynamic_smem_bytes;
  const int64_t blocks = std::min({limits.warps, limits.registers, limits.blocks});
  const int64_t need = blocks * round_up(asked + smem.reserved_bytes_per_block.value, kKib);
  return carveout_holding(smem.carveouts_used_kib.value, need + 1);
}

}  // namespace

int64_t volume(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }

BlockNeeds needs_of(const Launch& launch) {
  return {.threads = volume(launch.block),
          .registers_per_thread = launch.registers_per_thread,
          .static_smem_bytes = launch.static_smem_bytes,
          .dynamic_smem_bytes = launch.dynamic_smem_bytes,
          .barriers = launch.barriers};
}

Result<Occupancy> launchable(const Gpu& gpu, const Launch& launch) {
  WL_TRY_STATUS(check_extents(gpu.architecture, launch));
  WL_TRY(const Occupancy found, occupancy(gpu.architecture, needs_of(launch)));
  if (found.blocks_per_sm == 0) return reason(gpu, launch, found);
  return found;
}

Result<LaunchStatistics> launch_statistics(const Gpu& gpu, const Launch& launch) {
  const Architecture& a = gpu.architecture;
  WL_TRY(const Occupancy found, launchable(gpu, launch));
  LaunchStatistics s{.blocks = volume(launch.grid), .limits = found.limits};
  s.threads = s.blocks * volume(launch.block);
  s.smem_config_bytes = configured_smem(a, launch, found.limits);
  s.limits.shared_memory = found.smem_bytes_per_block == 0
                               ? found.limits.blocks
                               : s.smem_config_bytes / found.smem_bytes_per_block;
  s.blocks_per_sm = std::min({s.limits.warps, s.limits.registers, s.limits.shared_memory,
                              s.limits.blocks, s.limits.barriers});
  s.active_warps = s.blocks_per_sm * found.warps_per_block;
  s.occupancy_percent = 100.0 * static_cast<double>(s.active_warps) /
                        static_cast<double>(a.execution.max_warps_per_sm.value);
  s.waves_per_sm =
      static_cast<double>(s.blocks) / static_cast<double>(gpu.sms.value * s.blocks_per_sm);
  return s;
}

}  // namespace warpledger
