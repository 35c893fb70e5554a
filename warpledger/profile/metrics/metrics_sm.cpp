// Instructions and warps. ncu counts machine instructions: what the PTX alone does not decide has
// no value here.
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

/// A count of the machine code; nothing where there is none.
Value of_machine(const Evidence& e, uint64_t Machine::*count) {
  if (!e.profile.machine) return not_modelled();
  return {.raw = static_cast<int64_t>((*e.profile.machine).*count),
          .fidelity = e.profile.machine->fidelity};
}
Value executed(const Evidence& e) { return of_machine(e, &Machine::instructions); }
Value branches(const Evidence& e) { return of_machine(e, &Machine::branches); }
Value spills(const Evidence& e) { return of_machine(e, &Machine::spill_requests); }

/// Some are issued twice: 0.1 % in published reports.
Value issued(const Evidence& e) {
  Value value = executed(e);
  value.fidelity = Fidelity::kModelled;
  return value;
}

/// Machine instructions where they are known, else the PTX's.
Value executed_at_all(const Evidence& e) {
  return e.profile.machine ? executed(e) : exact(e.profile.execution.warp_instructions);
}

Value warps(const Evidence& e) { return exact(e.profile.execution.warps); }
Value threads(const Evidence& e) {
  return exact(static_cast<uint64_t>(e.profile.statistics.threads));
}
Value divergent(const Evidence& e) { return modelled(e.profile.execution.divergent_branches); }

Value branch_share(const Evidence& e) {
  const auto part = branches(e).number(), whole = executed(e).number();
  if (!part || !whole) return not_modelled();
  return ratio(*part, *whole, e.profile.machine->fidelity);  // a fraction, as ncu prints it
}

Value lanes_per_instruction(const Evidence& e) {
  const Execution& run = e.profile.execution;
  return ratio(static_cast<double>(run.thread_instructions),
               static_cast<double>(run.warp_instructions), Fidelity::kModelled);
}

Value unknown(const Evidence&) { return not_modelled(); }

double schedulers(const Gpu& gpu) {
  return static_cast<double>(gpu.architecture.execution.sub_partitions_per_sm.value);
}

struct Row {
  const char* name;
  const char* unit;
  Value (*value)(const Evidence&);
};
constexpr Row kOfSchedulers[] = {
    {"smsp__warps_launched", "warp", warps},
    {"smsp__threads_launched", "thread", threads},
    {"smsp__inst_executed", "inst", executed},
    {"smsp__inst_issued", "inst", issued},
    {"smsp__inst_executed_op_branch", "inst", branches},
    {"smsp__sass_branch_targets_threads_divergent", "branches", divergent}};
/// Against one instruction a clock of each scheduler.
constexpr Row kOfSms[] = {{"sm__inst_issued", "inst", issued},
                          {"sm__issue_active", "cycle", issued},
                          {"sm__inst_executed", "inst", executed},
                          {"sm__ptx_instructions", "inst", executed_at_all}};
constexpr Row kSingles[] = {
    {"derived__smsp__inst_executed_op_branch_pct", "%", branch_share},
    {"inst_executed", "inst", executed},
    {"derived__local_spilling_requests", "", spills},
    {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "", lanes_per_instruction},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "", unknown},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", "%", unknown}};

}  // namespace

void add_sm_metrics(Catalogue& catalogue) {
  for (const auto& [name, unit, value] : kOfSchedulers) {
    catalogue.counters.push_back(
        {.base = name, .unit = unit, .domain = Domain::kSmsp, .sum = value});
  }
  for (const auto& [name, unit, value] : kOfSms) {
    catalogue.counters.push_back({.base = name, .unit = unit, .sum = value, .peak = schedulers});
  }
  for (const auto& [name, unit, value] : kSingles) {
    catalogue.singles.push_back({name, unit, value});
  }
}

}  // namespace warpledger::profile
