// Instructions and warps. ncu counts machine instructions: what the PTX alone does not decide has
// no value here.
#include "warpledger/profile/metric.h"

namespace warpledger::profile {
namespace {

template <class Formula>
void add(Catalogue& catalogue, const char* base, const char* unit, Formula formula) {
  catalogue.counters.push_back(
      {.base = base, .unit = unit, .domain = Domain::kSmsp, .sum = formula});
}

}  // namespace

void add_sm_metrics(Catalogue& catalogue) {
  add(catalogue, "smsp__warps_launched", "warp",
      [](const Evidence& e) { return exact(e.profile.execution.warps); });
  add(catalogue, "smsp__threads_launched", "thread",
      [](const Evidence& e) { return exact(static_cast<uint64_t>(e.profile.statistics.threads)); });
  for (const char* base : {"smsp__inst_executed", "smsp__inst_issued"}) {
    add(catalogue, base, "inst", [](const Evidence&) { return not_modelled(); });
  }
  add(catalogue, "smsp__inst_executed_op_branch", "inst",
      [](const Evidence&) { return not_modelled(); });
  add(catalogue, "smsp__sass_branch_targets_threads_divergent", "branches",
      [](const Evidence& e) { return modelled(e.profile.execution.divergent_branches); });
  // Ours, not ncu's: PTX instructions, for a bound where machine instructions are not known.
  catalogue.counters.push_back(
      {.base = "sm__ptx_instructions",
       .unit = "inst",
       .sum = [](const Evidence& e) { return exact(e.profile.execution.warp_instructions); },
       .peak =
           [](const Gpu& gpu) {
             return static_cast<double>(gpu.architecture.execution.sub_partitions_per_sm.value);
           }});
  catalogue.singles.push_back(
      {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "", [](const Evidence& e) {
         const Execution& run = e.profile.execution;
         return ratio(static_cast<double>(run.thread_instructions),
                      static_cast<double>(run.warp_instructions), Fidelity::kModelled);
       }});
  for (const char* name : {"smsp__thread_inst_executed_per_inst_executed.ratio",
                           "smsp__sass_average_branch_targets_threads_uniform.pct",
                           "derived__smsp__inst_executed_op_branch_pct"}) {
    catalogue.singles.push_back({name, std::string_view(name).ends_with("ratio") ? "" : "%",
                                 [](const Evidence&) { return not_modelled(); }});
  }
}

}  // namespace warpledger::profile
