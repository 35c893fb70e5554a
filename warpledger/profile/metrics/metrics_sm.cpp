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

bool has_threads(const Profile& profile) { return profile.machine && profile.machine->threads; }

/// Threads of machine instructions; nothing where they are not counted.
Term of_threads(const char* name, uint64_t ThreadWork::*count) {
  return computed(name, [count](const Evidence& e) {
    return has_threads(e.profile) ? modeled((*e.profile.machine->threads).*count) : not_modeled();
  });
}

/// The same per instruction of a warp; of the PTX where there is no machine code.
Term threads_not_predicated_off() {
  const Term threads =
      Input{.name = "predicated-on thread instructions",
            .value =
                [](const Evidence& e) {
                  return modeled(has_threads(e.profile) ? e.profile.machine->threads->on
                                                        : e.profile.execution.thread_instructions);
                },
            .shares = [](const Evidence& e) { return by_line(e, &CodeLine::lanes); }};
  const Term warps = Input{
      .name = "warp instructions",
      .value =
          [](const Evidence& e) {
            return modeled(has_threads(e.profile) ? e.profile.machine->instructions
                                                  : e.profile.execution.warp_instructions);
          },
      .shares =
          [](const Evidence& e) {
            return by_line(e, has_threads(e.profile) ? &CodeLine::issued : &CodeLine::executions);
          }};
  return Term::ratio(threads, warps);
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

struct OfThreads {
  const char *base, *words;
  uint64_t ThreadWork::*count;
};
constexpr OfThreads kOfThreads[] = {
    {"smsp__thread_inst_executed", "SASS thread instructions", &ThreadWork::active},
    {"smsp__thread_inst_executed_pred_on", "predicated-on SASS thread instructions",
     &ThreadWork::on},
    {"smsp__sass_thread_inst_executed_op_fp16_pred_on", "predicated-on FP16 thread instructions",
     &ThreadWork::fp16},
    {"smsp__sass_thread_inst_executed_op_fp32_pred_on", "predicated-on FP32 thread instructions",
     &ThreadWork::fp32},
    {"smsp__sass_thread_inst_executed_op_fp64_pred_on", "predicated-on FP64 thread instructions",
     &ThreadWork::fp64},
    {"smsp__sass_thread_inst_executed_op_memory_pred_on",
     "predicated-on thread instructions that access memory", &ThreadWork::memory},
};

void add_singles(Catalog& catalog, const Term& executed, const Term& branches) {
  const auto add = [&](const char* name, const char* unit, const Term& formula) {
    catalog.singles.push_back({name, unit, formula});
  };
  add("derived__smsp__inst_executed_op_branch_pct", "%",
      Term::ratio(branches, executed));  // a fraction, as ncu prints it
  add("inst_executed", "inst", executed);
  add("derived__local_spilling_requests", "",
      of_machine("requests of spilled registers", &Machine::spill_requests));
  const Term active = Term::ratio(of_threads("SASS thread instructions", &ThreadWork::active),
                                  of_machine("machine instructions", &Machine::instructions));
  const Term on = threads_not_predicated_off();
  add("smsp__thread_inst_executed_per_inst_executed.ratio", "", active);
  add("smsp__thread_inst_executed_per_inst_executed.pct", "%", 100 * Term::ratio(active, 32));
  add("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "", on);
  add("smsp__thread_inst_executed_pred_on_per_inst_executed.pct", "%", 100 * Term::ratio(on, 32));
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
  for (const auto& [base, words, count] : kOfThreads)
    of_schedulers(base, "inst", of_threads(words, count));
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
