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

Value executed(const Evidence& e) {
  if (!e.profile.machine) return not_modelled();
  return {.raw = static_cast<int64_t>(e.profile.machine->instructions),
          .fidelity = e.profile.machine->fidelity};
}

Value branches(const Evidence& e) {
  if (!e.profile.machine) return not_modelled();
  return {.raw = static_cast<int64_t>(e.profile.machine->branches),
          .fidelity = e.profile.machine->fidelity};
}

double schedulers(const Gpu& gpu) {
  return static_cast<double>(gpu.architecture.execution.sub_partitions_per_sm.value);
}

}  // namespace

void add_sm_metrics(Catalogue& catalogue) {
  add(catalogue, "smsp__warps_launched", "warp",
      [](const Evidence& e) { return exact(e.profile.execution.warps); });
  add(catalogue, "smsp__threads_launched", "thread",
      [](const Evidence& e) { return exact(static_cast<uint64_t>(e.profile.statistics.threads)); });
  add(catalogue, "smsp__inst_executed", "inst", executed);
  // Some are issued twice: 0.1 % in published reports.
  const auto issued = [](const Evidence& e) {
    Value value = executed(e);
    value.fidelity = Fidelity::kModelled;
    return value;
  };
  add(catalogue, "smsp__inst_issued", "inst", issued);
  catalogue.counters.push_back(
      {.base = "sm__inst_issued", .unit = "inst", .sum = issued, .peak = schedulers});
  catalogue.counters.push_back(
      {.base = "sm__issue_active", .unit = "cycle", .sum = issued, .peak = schedulers});
  add(catalogue, "smsp__inst_executed_op_branch", "inst", branches);
  catalogue.singles.push_back(
      {"derived__smsp__inst_executed_op_branch_pct", "%", [](const Evidence& e) {
         const auto part = branches(e).number(), whole = executed(e).number();
         if (!part || !whole) return not_modelled();
         return ratio(*part, *whole, e.profile.machine->fidelity);  // a fraction, as ncu prints it
       }});
  catalogue.singles.push_back({"inst_executed", "inst", executed});
  catalogue.singles.push_back({"derived__local_spilling_requests", "", [](const Evidence& e) {
                                 if (!e.profile.machine) return not_modelled();
                                 return Value{
                                     .raw = static_cast<int64_t>(e.profile.machine->spill_requests),
                                     .fidelity = e.profile.machine->fidelity};
                               }});
  add(catalogue, "smsp__sass_branch_targets_threads_divergent", "branches",
      [](const Evidence& e) { return modelled(e.profile.execution.divergent_branches); });
  // Machine instructions where they are known, else the PTX's.
  catalogue.counters.push_back(
      {.base = "sm__inst_executed", .unit = "inst", .sum = executed, .peak = schedulers});
  catalogue.counters.push_back({.base = "sm__ptx_instructions",
                                .unit = "inst",
                                .sum =
                                    [](const Evidence& e) {
                                      return e.profile.machine
                                                 ? executed(e)
                                                 : exact(e.profile.execution.warp_instructions);
                                    },
                                .peak = schedulers});
  catalogue.singles.push_back(
      {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "", [](const Evidence& e) {
         const Execution& run = e.profile.execution;
         return ratio(static_cast<double>(run.thread_instructions),
                      static_cast<double>(run.warp_instructions), Fidelity::kModelled);
       }});
  for (const char* name : {"smsp__thread_inst_executed_per_inst_executed.ratio",
                           "smsp__sass_average_branch_targets_threads_uniform.pct"}) {
    catalogue.singles.push_back({name, std::string_view(name).ends_with("ratio") ? "" : "%",
                                 [](const Evidence&) { return not_modelled(); }});
  }
}

}  // namespace warpledger::profile
