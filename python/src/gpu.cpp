// GPUs and occupancy.
#include "python/src/convert.h"
#include "warpledger/gpu/advice.h"

namespace warpledger::python {
namespace {

nb::dict limits_of(const BlockLimits& limits) {
  nb::dict dict;
  const auto add = [&](const char* name, int64_t blocks) {
    dict[name] = blocks == kUnlimited ? nb::none() : nb::object(nb::int_(blocks));
  };
  add("warps", limits.warps);
  add("registers", limits.registers);
  add("shared memory", limits.shared_memory);
  add("blocks", limits.blocks);
  add("barriers", limits.barriers);
  return dict;
}

nb::dict occupancy(const std::string& name, const Extent& grid, const Extent& block, int64_t regs,
                   int64_t smem_static, int64_t smem_dynamic, int64_t barriers, bool prefer_shared,
                   std::optional<int64_t> carveout) {
  const Gpu gpu = take(load_gpu(name));
  const Launch launch{.grid = grid,
                      .block = block,
                      .registers_per_thread = regs,
                      .static_smem_bytes = smem_static,
                      .dynamic_smem_bytes = smem_dynamic,
                      .barriers = barriers,
                      .cache = prefer_shared ? CachePreference::kShared : CachePreference::kNone,
                      .carveout_kib = carveout};
  const LaunchStatistics statistics = take(launch_statistics(gpu, launch));
  const Advice advice = take(advise(gpu, launch));
  nb::dict dict;
  dict["gpu"] = gpu.name;
  dict["blocks_per_sm"] = statistics.blocks_per_sm;
  dict["warps_per_sm"] = statistics.active_warps;
  dict["max_warps_per_sm"] = advice.max_warps_per_sm;
  dict["percent"] = statistics.occupancy_percent;
  dict["waves_per_sm"] = statistics.waves_per_sm;
  dict["smem_config_bytes"] = statistics.smem_config_bytes;
  dict["limits"] = limits_of(statistics.limits);
  nb::list limited_by, changes;
  for (const Resource resource : advice.limited_by)
    limited_by.append(std::string(to_text(resource)));
  for (const Change& change : advice.changes) changes.append(to_text(change));
  dict["limited_by"] = limited_by;
  dict["advice"] = changes;
  dict["tables"] = to_python(
      std::vector<Table>{take(launch_section(gpu, launch)), take(occupancy_section(gpu, launch))});
  return dict;
}

}  // namespace

void add_gpu(nb::module_& module) {
  module.def("gpus", [] { return to_python(list_of(all_gpus())); });
  module.def("gpu",
             [](const std::string& name) { return to_python(facts_of(take(load_gpu(name)))); });
  module.def("architecture",
             [](const std::string& name) { return take(load_gpu(name)).architecture.id; });
  module.def("occupancy", &occupancy, nb::arg("gpu"), nb::arg("grid"), nb::arg("block"),
             nb::arg("registers"), nb::arg("smem_static"), nb::arg("smem_dynamic"),
             nb::arg("barriers"), nb::arg("prefer_shared"), nb::arg("carveout").none());
}

}  // namespace warpledger::python
