#include "warpledger/gpu/occupancy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "warpledger/base/units.h"

namespace warpledger {
namespace {

constexpr int64_t kKib = 1024;
constexpr int kFirstMajorWithBarrierLimit = 9;  // cuda_occupancy.h: Hopper onwards

int64_t allocated_registers_per_warp(const ExecutionFacts& execution, int64_t registers) {
  return round_up(registers * execution.warp_size.value, execution.reg_alloc_unit_per_warp.value);
}

int64_t warp_limit(const Architecture& architecture, int64_t threads) {
  const ExecutionFacts& execution = architecture.execution;
  if (threads > execution.max_threads_per_block.value) return 0;
  return execution.max_warps_per_sm.value / warps_per_block(architecture, threads);
}

// What the program prefers, rounded up to a size that the hardware offers.
int64_t preferred_carveout(const SharedMemoryFacts& smem, const SmemPreference& preference) {
  const int64_t percent = preference.carveout_percent.value_or(100);
  return carveout_holding(smem.carveouts_kib.value, smem.bytes_per_sm.value * percent / 100);
}

bool exceeds_block_limit(const SharedMemoryFacts& smem, const BlockNeeds& needs,
                         const SmemPreference& preference, int64_t allocated) {
  const int64_t opted_into =
      preference.max_dynamic_bytes.value_or(smem.bytes_per_block_optin.value);
  if (preference.opted_in && needs.dynamic_smem_bytes > opted_into) return true;
  const int64_t could_use =
      needs.static_smem_bytes + smem.reserved_bytes_per_block.value + opted_into;
  const bool large = preference.opted_in && could_use > smem.bytes_per_block.value;
  const int64_t limit = large ? smem.bytes_per_block_optin.value : smem.bytes_per_block.value;
  return allocated > limit + smem.reserved_bytes_per_block.value;
}

int64_t smem_limit(const Architecture& architecture, const BlockNeeds& needs,
                   const SmemPreference& preference) {
  const SharedMemoryFacts& smem = architecture.shared_memory;
  const int64_t allocated = allocated_smem_bytes(architecture, needs);
  if (exceeds_block_limit(smem, needs, preference, allocated)) return 0;
  if (allocated == 0) return kUnlimited;
  int64_t carveout = preferred_carveout(smem, preference);
  // A preference too small for one block is overruled.
  if (carveout < allocated) carveout = carveout_holding(smem.carveouts_kib.value, allocated);
  return carveout / allocated;
}

int64_t virtual_limit(const ExecutionFacts& execution, int64_t used) {
  if (!execution.virtual_resources_per_sm || used <= 0) return kUnlimited;
  return execution.virtual_resources_per_sm->value / used;
}

Status check(const BlockNeeds& needs, const SmemPreference& preference) {
  const auto invalid = [](std::string message) {
    return Diagnostic{.message = std::move(message), .code = "bad-launch"};
  };
  if (needs.threads <= 0) return invalid("a block needs at least one thread");
  if (needs.registers_per_thread < 0) return invalid("registers per thread cannot be negative");
  const int64_t largest =
      std::max({needs.threads, needs.registers_per_thread, needs.static_smem_bytes,
                needs.dynamic_smem_bytes, needs.barriers, needs.virtual_resources});
  if (largest > kUnlimited) return invalid(fmt::format("{} is too large for a launch", largest));
  if (needs.static_smem_bytes < 0 || needs.dynamic_smem_bytes < 0)
    return invalid("shared memory cannot be negative");
  const int percent = preference.carveout_percent.value_or(0);
  if (percent < 0 || percent > 100)
    return invalid("a carveout preference must be 0 to 100 percent");
  return {};
}

std::vector<Resource> resources_at(const BlockLimits& limits, int64_t blocks) {
  const std::array<std::pair<Resource, int64_t>, 6> all = {
      {{Resource::kWarps, limits.warps},
       {Resource::kRegisters, limits.registers},
       {Resource::kSharedMemory, limits.shared_memory},
       {Resource::kBlocks, limits.blocks},
       {Resource::kBarriers, limits.barriers},
       {Resource::kVirtual, limits.virtual_resources}}};
  std::vector<Resource> found;
  for (const auto& [resource, limit] : all) {
    if (limit == blocks) found.push_back(resource);
  }
  return found;
}

}  // namespace

std::string_view to_text(Resource resource) {
  switch (resource) {
    case Resource::kWarps:
      return "warps";
    case Resource::kRegisters:
      return "registers";
    case Resource::kSharedMemory:
      return "shared memory";
    case Resource::kBlocks:
      return "blocks per SM";
    case Resource::kBarriers:
      return "barriers";
    case Resource::kVirtual:
      return "virtual resources";
  }
  WL_CHECK(false);
}

int64_t warps_per_block(const Architecture& architecture, int64_t threads) {
  return ceil_div(threads, architecture.execution.warp_size.value);
}

int64_t carveout_holding(const std::vector<int64_t>& carveouts_kib, int64_t bytes) {
  for (const int64_t kib : carveouts_kib) {
    if (kib * kKib >= bytes) return kib * kKib;
  }
  return carveouts_kib.back() * kKib;
}

int64_t allocated_smem_bytes(const Architecture& architecture, const BlockNeeds& needs) {
  const SharedMemoryFacts& smem = architecture.shared_memory;
  return round_up(
      needs.static_smem_bytes + needs.dynamic_smem_bytes + smem.reserved_bytes_per_block.value,
      smem.alloc_unit_bytes.value);
}

int64_t register_limit(const Architecture& architecture, const BlockNeeds& needs) {
  const ExecutionFacts& execution = architecture.execution;
  const int64_t partitions = execution.sub_partitions_per_sm.value;
  const int64_t warps = warps_per_block(architecture, needs.threads);
  const int64_t per_warp = allocated_registers_per_warp(execution, needs.registers_per_thread);
  // The hardware checks a block as if every sub-partition held the same number of warps.
  if (needs.registers_per_thread > execution.max_regs_per_thread_launch.value) return 0;
  if (per_warp == 0) return kUnlimited;
  if (round_up(warps, partitions) > execution.max_regs_per_block.value / per_warp) return 0;
  const int64_t warps_per_partition = execution.regs_per_sm.value / partitions / per_warp;
  return warps_per_partition * partitions / warps;
}

Result<Occupancy> occupancy(const Architecture& architecture, const BlockNeeds& needs,
                            const SmemPreference& preference) {
  WL_TRY_STATUS(check(needs, preference));
  const ExecutionFacts& execution = architecture.execution;
  BlockLimits limits{.warps = warp_limit(architecture, needs.threads),
                     .registers = register_limit(architecture, needs),
                     .shared_memory = smem_limit(architecture, needs, preference),
                     .blocks = execution.max_blocks_per_sm.value,
                     .virtual_resources = virtual_limit(execution, needs.virtual_resources)};
  if (architecture.major >= kFirstMajorWithBarrierLimit && needs.barriers > 0)
    limits.barriers = execution.barrier_slots_per_sm.value / needs.barriers;
  const int64_t blocks = std::min({limits.warps, limits.registers, limits.shared_memory,
                                   limits.blocks, limits.barriers, limits.virtual_resources});
  const int64_t warps = warps_per_block(architecture, needs.threads);
  return Occupancy{.blocks_per_sm = blocks,
                   .warps_per_block = warps,
                   .limits = limits,
                   .limited_by = resources_at(limits, blocks),
                   .registers_per_block =
                       allocated_registers_per_warp(execution, needs.registers_per_thread) * warps,
                   .smem_bytes_per_block = allocated_smem_bytes(architecture, needs)};
}

}  // namespace warpledger
