// The sections' contents.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

constexpr const char* kElapsed = ".avg.pct_of_peak_sustained_elapsed";

std::string elapsed(const char* base) { return base + std::string(kElapsed); }
Entry stalled(const char* label, const char* reason) {
  return {label, fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason),
          /*is_part=*/true};
}

Section speed_of_light() {
  return {"GPU Speed Of Light Throughput",
          {{"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
           {"SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
           {"Elapsed Cycles", "gpc__cycles_elapsed.max"},
           {"Memory Throughput", elapsed("gpu__compute_memory_throughput")},
           {"DRAM Throughput", elapsed("gpu__dram_throughput")},
           {"Duration", "gpu__time_duration.sum"},
           {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
           {"L2 Cache Throughput", elapsed("lts__throughput")},
           {"SM Active Cycles", "sm__cycles_active.avg"},
           {"Compute (SM) Throughput", elapsed("sm__throughput")}}};
}

Section compute_workload() {
  return {"Compute Workload Analysis",
          {{"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
           {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
           {"Issue Slots Busy", "sm__inst_issued.avg.pct_of_peak_sustained_active"},
           {"Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
           {"SM Busy", "sm__instruction_throughput.avg.pct_of_peak_sustained_active"}}};
}

Section memory_workload() {
  return {"Memory Workload Analysis",
          {{"Memory Throughput", "dram__bytes.sum.per_second"},
           {"Mem Busy", elapsed("gpu__compute_memory_access_throughput")},
           {"Max Bandwidth", elapsed("gpu__compute_memory_request_throughput")},
           {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
           {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
           {"Mem Pipes Busy", elapsed("sm__memory_throughput")}}};
}

Section scheduler() {
  return {"Scheduler Statistics",
          {{"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
           {"Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"},
           {"No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
           {"Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"},
           {"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"}}};
}

Section warp_state() {
  return {
      "Warp State Statistics",
      {{"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
       {"Warp Cycles Per Executed Instruction",
        "smsp__average_warps_active_per_inst_executed.ratio"},
       stalled("Stall Barrier", "barrier"),
       stalled("Stall Branch Resolving", "branch_resolving"),
       stalled("Stall Dispatch Stall", "dispatch_stall"),
       stalled("Stall Drain", "drain"),
       stalled("Stall IMC Miss", "imc_miss"),
       stalled("Stall LG Throttle", "lg_throttle"),
       stalled("Stall Long Scoreboard", "long_scoreboard"),
       stalled("Stall Math Pipe Throttle", "math_pipe_throttle"),
       stalled("Stall Membar", "membar"),
       stalled("Stall MIO Throttle", "mio_throttle"),
       stalled("Stall No Instruction", "no_instruction"),
       stalled("Stall Not Selected", "not_selected"),
       stalled("Selected", "selected"),
       stalled("Stall Short Scoreboard", "short_scoreboard"),
       stalled("Stall Wait", "wait"),
       {"Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio"},
       {"Avg. Not Predicated Off Threads Per Warp",
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"}}};
}

Section instructions() {
  return {"Instruction Statistics",
          {{"Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
           {"Executed Instructions", "smsp__inst_executed.sum"},
           {"Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
           {"Issued Instructions", "smsp__inst_issued.sum"}}};
}

Section launch_statistics_section() {
  return {"Launch Statistics",
          {{"Block Size", "launch__block_size"},
           {"Function Cache Configuration", "launch__func_cache_config"},
           {"Grid Size", "launch__grid_size"},
           {"Registers Per Thread", "launch__registers_per_thread"},
           {"Shared Memory Configuration Size", "launch__shared_mem_config_size"},
           {"Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
           {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
           {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
           {"# SMs", "launch__sm_count"},
           {"Stack Size", "launch__stack_size"},
           {"Threads", "launch__thread_count"},
           {"# TPCs", "launch__tpc_count"},
           {"Enabled TPC IDs", "launch__tpc_enabled"},
           {"Uses Green Context", "launch__uses_green_context"},
           {"Waves Per SM", "launch__waves_per_multiprocessor"}}};
}

Section occupancy_lines() {
  return {"Occupancy",
          {{"Block Limit SM", "launch__occupancy_limit_blocks"},
           {"Block Limit Registers", "launch__occupancy_limit_registers"},
           {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
           {"Block Limit Warps", "launch__occupancy_limit_warps"},
           {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
           {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
           {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
           {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"}}};
}

Section distribution() {
  return {"GPU and Memory Workload Distribution",
          {{"Average DRAM Active Cycles", "dram__cycles_active.avg"},
           {"Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"},
           {"Average L1 Active Cycles", "l1tex__cycles_active.avg"},
           {"Total L1 Elapsed Cycles", "l1tex__cycles_elapsed.sum"},
           {"Average L2 Active Cycles", "lts__cycles_active.avg"},
           {"Total L2 Elapsed Cycles", "lts__cycles_elapsed.sum"},
           {"Average SM Active Cycles", "sm__cycles_active.avg"},
           {"Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"},
           {"Average SMSP Active Cycles", "smsp__cycles_active.avg"},
           {"Total SMSP Elapsed Cycles", "smsp__cycles_elapsed.sum"}}};
}

Section source_counters() {
  return {"Source Counters",
          {{"Branch Instructions Ratio", "derived__smsp__inst_executed_op_branch_pct"},
           {"Branch Instructions", "smsp__inst_executed_op_branch.sum"},
           {"Branch Efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"},
           {"Avg. Divergent Branches", "smsp__sass_branch_targets_threads_divergent.avg"},
           {"L1 Tag Requests Global", "memory_l1_tag_requests_global"},
           {"L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"},
           {"L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"},
           {"L2 Theoretical Sectors Global Excessive",
            "derived__memory_l2_theoretical_sectors_global_excessive"},
           {"L2 Theoretical Sectors Local", "memory_l2_theoretical_sectors_local"},
           {"L1 Wavefronts Shared", "memory_l1_wavefronts_shared"},
           {"L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"},
           {"L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"}}};
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      speed_of_light(), compute_workload(), memory_workload(),           scheduler(),
      warp_state(),     instructions(),     launch_statistics_section(), occupancy_lines(),
      distribution(),   source_counters()};
  return all;
}

}  // namespace warpledger::profile
