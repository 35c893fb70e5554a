// ncu's sections as tables. Labels, units and order are those of ncu 2025 without --set full.
#include <fmt/core.h>

#include "warpledger/base/number.h"
#include "warpledger/gpu/launch.h"

namespace warpledger {
namespace {

Table section(std::string title) {
  return {.title = std::move(title),
          .columns = {{"Metric Name", "name"},
                      {"Metric Unit", "unit", Align::kRight},
                      {"Metric Value", "value", Align::kRight}}};
}

void add(Table& table, const char* name, std::string unit, Cell value) {
  table.rows.push_back({.cells = {name, std::move(unit), std::move(value)}});
}

void add(Table& table, const char* name, const char* unit, int64_t value,
         Fidelity fidelity = Fidelity::kExact) {
  add(table, name, std::string(unit), Cell(value, fidelity));
}

// ncu scales bytes by 1000 and says so in the unit: 8,192 byte -> 8.19 Kbyte. Scripts get bytes.
void add_bytes(Table& table, const char* name, const std::string& per, int64_t bytes,
               Fidelity fidelity) {
  const bool kilo = bytes >= 1000;
  const double shown = kilo ? static_cast<double>(bytes) / 1000 : static_cast<double>(bytes);
  Cell unit((kilo ? "Kbyte" : "byte") + per);
  unit.raw = "byte" + per;
  table.rows.push_back({.cells = {name, unit, Cell(ncu_number(shown), bytes, fidelity)}});
}

}  // namespace

Result<Table> launch_section(const Gpu& gpu, const Launch& launch) {
  WL_TRY(const LaunchStatistics s, launch_statistics(gpu, launch));
  const SharedMemoryFacts& smem = gpu.architecture.shared_memory;
  const bool asked = launch.carveout_kib || launch.cache == CachePreference::kShared;
  Table table = section("Launch Statistics");
  add(table, "Block Size", "", volume(launch.block));
  add(table, "Function Cache Configuration", "",
      launch.cache == CachePreference::kShared ? "CachePreferShared" : "CachePreferNone");
  add(table, "Grid Size", "", s.blocks);
  add(table, "Registers Per Thread", "register/thread", launch.registers_per_thread);
  add_bytes(table, "Shared Memory Configuration Size", "", s.smem_config_bytes,
            asked ? Fidelity::kExact : Fidelity::kModeled);
  add_bytes(table, "Driver Shared Memory Per Block", "/block", smem.reserved_bytes_per_block.value,
            smem.reserved_bytes_per_block.fidelity);
  add_bytes(table, "Dynamic Shared Memory Per Block", "/block", launch.dynamic_smem_bytes,
            Fidelity::kExact);
  add_bytes(table, "Static Shared Memory Per Block", "/block", launch.static_smem_bytes,
            Fidelity::kExact);
  add(table, "# SMs", "SM", gpu.sms.value, gpu.sms.fidelity);
  add(table, "Threads", "thread", s.threads);
  if (const auto& tpc = gpu.architecture.execution.sms_per_tpc; tpc && tpc->value > 0) {
    add(table, "# TPCs", "", gpu.sms.value / tpc->value, weakest(gpu.sms.fidelity, tpc->fidelity));
    add(table, "Enabled TPC IDs", "", "all");
  }
  add(table, "Waves Per SM", "",
      Cell(ncu_number(s.waves_per_sm), s.waves_per_sm, gpu.sms.fidelity));
  return table;
}

Result<Table> occupancy_section(const Gpu& gpu, const Launch& launch) {
  WL_TRY(const LaunchStatistics s, launch_statistics(gpu, launch));
  const bool asked = launch.carveout_kib || launch.cache == CachePreference::kShared;
  Table table = section("Occupancy");
  add(table, "Block Limit SM", "block", s.limits.blocks);
  add(table, "Block Limit Registers", "block", s.limits.registers);
  add(table, "Block Limit Shared Mem", "block", s.limits.shared_memory,
      asked ? Fidelity::kExact : Fidelity::kModeled);
  add(table, "Block Limit Warps", "block", s.limits.warps);
  add(table, "Theoretical Active Warps per SM", "warp", s.active_warps);
  add(table, "Theoretical Occupancy", "%",
      Cell(ncu_number(s.occupancy_percent), s.occupancy_percent, Fidelity::kExact));
  return table;
}

}  // namespace warpledger
