// Instructions and warps. ncu counts machine instructions: what the PTX alone does not decide has
// no value here.
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

/// A count of the machine code; nothing where there is none.
Term of_machine(const char* name, uint64_t Machine::*count) {
  return computed(name, [count](const Evidence& e) { return of_machine(e, count); });
}

/// Some are issued twice: 0.1 % in published reports.
Term issued(const Term& executed) {
  Input input = executed.input();
  input.name = "machine instructions, of which few are issued twice";
  input.value = [executed](const Evidence& e) {
    Value value = executed(e);
    value.fidelity = Fidelity::kModeled;
    return value;
  };
  return input;
}

/// Machine instructions where they are known, else the PTX's.
Term executed_at_all(const Term& executed) {
  Input input = executed.input();
  input.name = "machine instructions; PTX instructions where there is no machine code";
  input.value = [executed](const Evidence& e) {
    return e.profile.machine ? executed(e) : exact(e.profile.execution.warp_instructions);
  };
  input.shares = [](const Evidence& e) {
    return by_line(e, e.profile.machine ? &CodeLine::issued : &CodeLine::executions);
  };
  return input;
}

/// Of the PTX, where machine instructions are not counted by lanes.
Term of_execution(const char* name, uint64_t Execution::*count, uint64_t CodeLine::*lines) {
  return Input{.name = name,
               .value = [count](const Evidence& e) { return modeled(e.profile.execution.*count); },
               .shares = [lines](const Evidence& e) { return by_line(e, lines); }};
}

Term of_launch(const char* name, uint64_t (*count)(const Profile&)) {
  return computed(name, [count](const Evidence& e) { return exact(count(e.profile)); });
}

Term unknown(const char* why) {
  return computed(why, [](const Evidence&) { return not_modeled(); });
}

double schedulers(const Gpu& gpu) {
  return static_cast<double>(gpu.architecture.execution.sub_partitions_per_sm.value);
}

void add_singles(Catalog& catalog, const Term& executed, const Term& branches) {
  const auto add = [&](const char* name, const char* unit, const Term& formula) {
    catalog.singles.push_back({name, unit, formula});
  };
  add("derived__smsp__inst_executed_op_branch_pct", "%",
      Term::ratio(branches, executed));  // a fraction, as ncu prints it
  add("inst_executed", "inst", executed);
  add("derived__local_spilling_requests", "",
      of_machine("requests of spilled registers", &Machine::spill_requests));
  add("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "",
      Term::ratio(of_execution("thread-level PTX instructions, predicated-off lanes excluded",
                               &Execution::thread_instructions, &CodeLine::lanes),
                  of_execution("warp-level PTX instructions", &Execution::warp_instructions,
                               &CodeLine::executions)));
  add("smsp__thread_inst_executed_per_inst_executed.ratio", "",
      unknown("not modeled: machine instructions are not counted by active threads"));
  add("smsp__sass_average_branch_targets_threads_uniform.pct", "%",
      unknown("not modeled: targets of machine branches are not counted"));
}

}  // namespace

void add_sm_metrics(Catalog& catalog) {
  const Term executed = machine_instructions();
  const Term branches = of_machine("machine instructions that branch", &Machine::branches);
  const auto of_schedulers = [&](const char* base, const char* unit, const Term& sum) {
    catalog.counters.push_back({.base = base, .unit = unit, .domain = Domain::kSmsp, .sum = sum});
  };
  of_schedulers("smsp__warps_launched", "warp",
                of_launch("warps", [](const Profile& p) { return p.execution.warps; }));
  of_schedulers("smsp__threads_launched", "thread", of_launch("threads", [](const Profile& p) {
                  return static_cast<uint64_t>(p.statistics.threads);
                }));
  of_schedulers("smsp__inst_executed", "inst", executed);
  of_schedulers("smsp__inst_issued", "inst", issued(executed));
  of_schedulers("smsp__inst_executed_op_branch", "inst", branches);
  of_schedulers(
      "smsp__sass_branch_targets_threads_divergent", "branches",
      computed("branches of the PTX at which the lanes of a warp part",
               [](const Evidence& e) { return modeled(e.profile.execution.divergent_branches); }));
  // Against one instruction a clock of each scheduler.
  const auto of_sms = [&](const char* base, const char* unit, const Term& sum) {
    catalog.counters.push_back({.base = base, .unit = unit, .sum = sum, .peak = schedulers});
  };
  of_sms("sm__inst_issued", "inst", issued(executed));
  of_sms("sm__issue_active", "cycle", issued(executed));
  of_sms("sm__inst_executed", "inst", executed);
  of_sms("sm__ptx_instructions", "inst", executed_at_all(executed));
  add_singles(catalog, executed, branches);
}

}  // namespace warpledger::profile
