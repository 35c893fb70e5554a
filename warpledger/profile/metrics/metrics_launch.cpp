// Attributes of the launch and its occupancy: launch__*, sm__maximum_warps_*.
#include <algorithm>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

// cudaLimitStackSize as ncu prints it for programs that do not change it.
constexpr int64_t kDefaultStackBytes = 1024;

bool asked_for_split(const Launch& launch) {
  return launch.carveout_kib || launch.cache == CachePreference::kShared;
}

Fidelity split_fidelity(const Profile& profile) {
  const Fidelity rule = asked_for_split(profile.launch) ? Fidelity::kExact : Fidelity::kModeled;
  return weakest(rule, profile.resources.fidelity);
}

Value whole(int64_t n, Fidelity fidelity) { return {.raw = n, .fidelity = fidelity}; }

/// A fact of the launch, or what gpu/launch.h computes from it: `words` say which.
void add(Catalog& catalog, const std::string& name, const char* unit, const char* words,
         std::function<Value(const Profile&)> formula) {
  catalog.singles.push_back(
      {name, unit, computed(words, [formula = std::move(formula)](const Evidence& evidence) {
         return formula(evidence.profile);
       })});
}

void add_extents(Catalog& catalog) {
  for (size_t i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    add(catalog, "launch__grid_dim_" + axis, "", "blocks of the grid along the axis",
        [i](const Profile& p) { return whole(p.launch.grid[i], Fidelity::kExact); });
    add(catalog, "launch__block_dim_" + axis, "", "threads of a block along the axis",
        [i](const Profile& p) { return whole(p.launch.block[i], Fidelity::kExact); });
  }
  add(catalog, "launch__block_size", "", "threads per block (x * y * z)",
      [](const Profile& p) { return whole(volume(p.launch.block), Fidelity::kExact); });
  add(catalog, "launch__grid_size", "", "blocks in the grid (x * y * z)",
      [](const Profile& p) { return whole(p.statistics.blocks, Fidelity::kExact); });
  add(catalog, "launch__thread_count", "thread", "blocks x threads of a block",
      [](const Profile& p) { return whole(p.statistics.threads, Fidelity::kExact); });
}

/// Of a block, whatever the metric's name says: 10,240 for 256 threads of 39 in published reports.
int64_t allocated_registers(const Profile& p) {
  const ExecutionFacts& facts = p.gpu.architecture.execution;
  const int64_t warp = facts.warp_size.value, unit = facts.reg_alloc_unit_per_warp.value;
  const int64_t warps = (volume(p.launch.block) + warp - 1) / warp;
  return (p.launch.registers_per_thread * warp + unit - 1) / unit * unit * warps;
}

void add_resources(Catalog& catalog) {
  add(catalog, "launch__registers_per_thread", "register/thread",
      "registers of a thread: ptxas's, or as given",
      [](const Profile& p) { return whole(p.launch.registers_per_thread, p.resources.fidelity); });
  add(catalog, "launch__registers_per_thread_allocated", "register/thread",
      "registers of a warp, rounded up to the allocation unit, x warps of a block",
      [](const Profile& p) { return whole(allocated_registers(p), p.resources.fidelity); });
  add(catalog, "launch__shared_mem_config_size", "byte",
      "shared memory of an SM: as asked, else the smallest size that holds the blocks of one SM",
      [](const Profile& p) { return whole(p.statistics.smem_config_bytes, split_fidelity(p)); });
  add(catalog, "launch__shared_mem_per_block_driver", "byte/block",
      "shared memory that the driver keeps in each block", [](const Profile& p) {
        const Count& reserved = p.gpu.architecture.shared_memory.reserved_bytes_per_block;
        return whole(reserved.value, reserved.fidelity);
      });
  add(catalog, "launch__shared_mem_per_block_dynamic", "byte/block",
      "dynamic shared memory of the launch",
      [](const Profile& p) { return whole(p.launch.dynamic_smem_bytes, Fidelity::kExact); });
  add(catalog, "launch__shared_mem_per_block_static", "byte/block",
      "static shared memory of the kernel",
      [](const Profile& p) { return whole(p.launch.static_smem_bytes, Fidelity::kExact); });
  add(catalog, "launch__shared_mem_per_block", "byte/block",
      "static + dynamic + the driver's shared memory of a block", [](const Profile& p) {
        const Count& reserved = p.gpu.architecture.shared_memory.reserved_bytes_per_block;
        return whole(p.launch.static_smem_bytes + p.launch.dynamic_smem_bytes + reserved.value,
                     reserved.fidelity);
      });
  add(catalog, "launch__shared_mem_per_block_allocated", "byte/block",
      "the same, rounded up to the allocation unit", [](const Profile& p) {
        return whole(allocated_smem_bytes(p.gpu.architecture, needs_of(p.launch)),
                     Fidelity::kExact);
      });
  add(catalog, "launch__stack_size", "", "the default of cudaLimitStackSize",
      [](const Profile&) { return whole(kDefaultStackBytes, Fidelity::kAssumed); });
  add(catalog, "launch__func_cache_config", "", "the cache preference of the program",
      [](const Profile& p) {
        const bool shared = p.launch.cache == CachePreference::kShared;
        return words(shared ? "CachePreferShared" : "CachePreferNone", Fidelity::kExact);
      });
}

void add_device(Catalog& catalog) {
  add(catalog, "launch__sm_count", "SM", "SMs of the GPU",
      [](const Profile& p) { return whole(p.gpu.sms.value, p.gpu.sms.fidelity); });
  add(catalog, "launch__tpc_count", "", "SMs on the GPU / SMs per TPC", [](const Profile& p) {
    const Fact<int64_t>& per_tpc = p.gpu.architecture.execution.sms_per_tpc;
    if (!per_tpc || per_tpc->value == 0) return not_modeled();
    return whole(p.gpu.sms.value / per_tpc->value, weakest(p.gpu.sms.fidelity, per_tpc->fidelity));
  });
  add(catalog, "launch__tpc_enabled", "", "all of them are",
      [](const Profile&) { return words("all", Fidelity::kAssumed); });
  add(catalog, "launch__uses_green_context", "", "there is none",
      [](const Profile&) { return whole(0, Fidelity::kExact); });
  add(catalog, "launch__waves_per_multiprocessor", "",
      "blocks of the grid / (SMs x blocks that an SM holds)", [](const Profile& p) {
        return Value{.raw = p.statistics.waves_per_sm,
                     .fidelity = weakest(p.gpu.sms.fidelity, split_fidelity(p))};
      });
}

void add_occupancy(Catalog& catalog) {
  add(catalog, "launch__occupancy_limit_blocks", "block", "blocks that an SM holds at most",
      [](const Profile& p) { return whole(p.statistics.limits.blocks, Fidelity::kExact); });
  add(catalog, "launch__occupancy_limit_registers", "block", "blocks whose registers an SM holds",
      [](const Profile& p) { return whole(p.statistics.limits.registers, p.resources.fidelity); });
  add(catalog, "launch__occupancy_limit_shared_mem", "block",
      "blocks whose shared memory an SM holds",
      [](const Profile& p) { return whole(p.statistics.limits.shared_memory, split_fidelity(p)); });
  add(catalog, "launch__occupancy_limit_warps", "block",
      "warps that an SM holds / warps of a block",
      [](const Profile& p) { return whole(p.statistics.limits.warps, Fidelity::kExact); });
  add(catalog, "launch__occupancy_limit_barriers", "block",
      "blocks whose barriers an SM holds, at most as many as it holds at all",
      [](const Profile& p) {
        return whole(std::min(p.statistics.limits.barriers, p.statistics.limits.blocks),
                     p.resources.fidelity);
      });
  add(catalog, "sm__maximum_warps_avg_per_active_cycle", "warp",
      "warps of the blocks that an SM holds: the smallest of the limits",
      [](const Profile& p) { return whole(p.statistics.active_warps, p.resources.fidelity); });
  add(catalog, "smsp__maximum_warps_avg_per_active_cycle", "warp",
      "warps of the blocks that an SM holds / schedulers of an SM", [](const Profile& p) {
        const auto parts = p.gpu.architecture.execution.sub_partitions_per_sm.value;
        return ratio(static_cast<double>(p.statistics.active_warps), static_cast<double>(parts),
                     p.resources.fidelity);
      });
  add(catalog, "sm__maximum_warps_per_active_cycle_pct", "%",
      "100 x warps of the blocks that an SM holds / warps that it holds at most",
      [](const Profile& p) {
        return Value{.raw = p.statistics.occupancy_percent, .fidelity = p.resources.fidelity};
      });
}

}  // namespace

void add_launch_metrics(Catalog& catalog) {
  add_extents(catalog);
  add_resources(catalog);
  add_device(catalog);
  add_occupancy(catalog);
}

}  // namespace warpledger::profile
