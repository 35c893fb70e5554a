#include "warpledger/memory/hierarchy.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/gpu/dram_rows.h"

namespace warpledger::memory {
namespace {

Diagnostic missing(const Gpu& gpu, std::string_view fact) {
  return {.message = fmt::format("the file of GPU '{}' does not give {}", gpu.id, fact),
          .hint = "docs/gpus.md says how to add a fact",
          .code = "gpu-fact-missing"};
}

}  // namespace

Result<Config> configure(const Gpu& gpu, uint32_t ctas_per_sm, uint64_t smem_config_bytes) {
  if (!gpu.architecture.l1.unified_kib) return missing(gpu, "l1.unified_kib");
  if (!gpu.l2.bytes) return missing(gpu, "l2.bytes");
  if (!gpu.l2.dirty_left_fraction) return missing(gpu, "l2.dirty_left_fraction");
  if (!gpu.dram.fetch_bytes) return missing(gpu, "dram.fetch_bytes");
  if (!gpu.dram.inline_ecc) return missing(gpu, "dram.inline_ecc");
  if (!gpu.l2.fabric) return missing(gpu, "l2.fabric");
  Config config;
  config.sms = static_cast<uint32_t>(gpu.sms.value);
  config.ctas_per_sm = ctas_per_sm;
  config.l1_bytes = static_cast<uint64_t>(gpu.architecture.l1.unified_kib->value) * 1024;
  WL_CHECK(smem_config_bytes < config.l1_bytes && ctas_per_sm > 0);
  config.l1_bytes -= smem_config_bytes;
  config.l2.bytes = static_cast<uint64_t>(gpu.l2.bytes->value);
  config.l2.fabric = gpu.l2.fabric->value == "none"    ? Fabric::kNone
                     : gpu.l2.fabric->value == "ga100" ? Fabric::kGa100
                                                       : Fabric::kGh100;
  config.l2.fetch_bytes = static_cast<uint32_t>(gpu.dram.fetch_bytes->value);
  config.l2.dirty_share = gpu.l2.dirty_left_fraction->value;
  config.inline_ecc = gpu.dram.inline_ecc->value;
  config.l2.fill_partial_writes = config.inline_ecc;
  if (const auto rows = dram_rows(gpu)) {
    config.rows = {static_cast<uint32_t>(rows->channels), static_cast<uint32_t>(rows->row_bytes)};
  }
  return config;
}

Result<Config> configure(const Gpu& gpu, const Launch& launch) {
  WL_TRY(const LaunchStatistics statistics, launch_statistics(gpu, launch));
  return configure(gpu, static_cast<uint32_t>(statistics.blocks_per_sm),
                   static_cast<uint64_t>(statistics.smem_config_bytes));
}

Hierarchy::Hierarchy(const Config& config, const trace::Launch& launch, uint32_t groups)
    : sms_(config.sms),
      sms_per_group_(static_cast<uint32_t>(ceil_div(config.sms, groups))),
      dram_(config.inline_ecc, config.rows),
      l2_(config.l2, dram_),
      counters_(launch.sites->size()) {
  for (uint32_t first = 0; first < sms_; first += sms_per_group_) {
    groups_.emplace_back(launch, config.l1_bytes, config.ctas_per_sm * launch.warps(), first,
                         std::min(sms_per_group_, sms_ - first));
  }
}

void Hierarchy::drain(uint32_t sm) {
  L2Queue& queue = group_of(sm).queue(sm);
  send(sm, queue, 0, queue.size());
  queue.clear();
}

uint64_t Hierarchy::accesses() const {
  uint64_t sum = 0;
  for (const SmGroup& group : groups_) sum += group.accesses();
  return sum;
}

uint64_t Hierarchy::lookups() const {
  uint64_t sum = 0;
  for (const SmGroup& group : groups_) sum += group.lookups();
  return sum;
}

void Hierarchy::count_only() {
  for (SmGroup& group : groups_) {
    for (uint32_t sm = group.first(); sm < group.end(); ++sm) group.settle_all(sm);
    group.count_only();
  }
}

Counters Hierarchy::so_far() const {
  Counters counters{counters_, l2_.counters(), dram_.counters()};
  counters.dram.dirty_left_sectors = l2_.dirty_sectors();
  for (const SmGroup& group : groups_) group.add_to(counters.sites);
  return counters;
}

Counters Hierarchy::finish() {
  for (uint32_t sm = 0; sm < sms_; ++sm) {
    group_of(sm).settle_all(sm);
    drain(sm);
  }
  l2_.finish();
  for (const SmGroup& group : groups_) group.add_to(counters_);
  return {std::move(counters_), l2_.counters(), dram_.counters()};
}

}  // namespace warpledger::memory
