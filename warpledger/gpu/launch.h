// A kernel launch, and what Nsight Compute prints about it before a single instruction runs: the
// sections «Launch Statistics» and «Occupancy». Lines that need a run (achieved occupancy, stack
// size, green context) are left out.
//
// How the driver splits L1 and shared memory when nobody asks, fitted to published reports (all 85
// that print it, docs/validation.md):
//   need   = min(limits by warps, registers, blocks) x ceil((smem + reserved) / 1 KiB) KiB
//   config = the smallest carve-out in use that is > need, else the largest
// A program that prefers shared memory (cudaFuncCachePreferShared) gets the largest.
#pragma once

#include <array>

#include "warpledger/base/table.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/occupancy.h"

namespace warpledger {

using Extent = std::array<int64_t, 3>;  // x, y, z

/// cudaFuncCache: what a program may say about the split of L1 and shared memory.
enum class CachePreference { kNone, kShared };

struct Launch {
  Extent grid = {1, 1, 1};
  Extent block = {1, 1, 1};
  int64_t registers_per_thread = 0;
  int64_t static_smem_bytes = 0;
  int64_t dynamic_smem_bytes = 0;
  int64_t barriers = 1;
  CachePreference cache = CachePreference::kNone;
  std::optional<int64_t> carveout_kib = {};  // asked for; rounded up to one the GPU offers
};

[[nodiscard]] int64_t volume(const Extent& extent);

/// The block of the launch, as the occupancy rules see it.
[[nodiscard]] BlockNeeds needs_of(const Launch& launch);

/// The occupancy of a launch that the GPU accepts; fails with the reason when it refuses it.
[[nodiscard]] Result<Occupancy> launchable(const Gpu& gpu, const Launch& launch);

/// What ncu derives from a launch.
struct LaunchStatistics {
  int64_t blocks = 0;   // of the grid
  int64_t threads = 0;  // of the grid
  int64_t smem_config_bytes = 0;
  BlockLimits limits;  // shared_memory: of the configured size; max blocks when nothing is used
  int64_t blocks_per_sm = 0;
  int64_t active_warps = 0;      // theoretical, per SM
  double occupancy_percent = 0;  // theoretical
  double waves_per_sm = 0;
};

/// Fails as launchable().
[[nodiscard]] Result<LaunchStatistics> launch_statistics(const Gpu& gpu, const Launch& launch);

/// ncu's sections, with its labels, units, order and rounding.
[[nodiscard]] Result<Table> launch_section(const Gpu& gpu, const Launch& launch);
[[nodiscard]] Result<Table> occupancy_section(const Gpu& gpu, const Launch& launch);

}  // namespace warpledger
