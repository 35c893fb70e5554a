// What warps wait for: ncu's Warp State and Scheduler Statistics, from the simulated SM
// (sm/states.h). Without machine code there are none.
#include <fmt/format.h>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

template <class Formula>
void add(Catalog& catalog, std::string name, const char* unit, std::string words, Formula formula) {
  const auto value = [formula](const Evidence& e) {
    if (!e.profile.states || e.profile.states->issued == 0) return not_modeled();
    return Value{.raw = formula(*e.profile.states), .fidelity = Fidelity::kModeled};
  };
  catalog.singles.push_back({std::move(name), unit, computed(std::move(words), value)});
}

/// Schedulers of the simulated SM x cycles in which they held a warp.
double scheduler_cycles(const sm::States& states) {
  constexpr double kSchedulers = 4;
  return kSchedulers * states.active_cycles;
}

void add_reasons(Catalog& catalog) {
  for (size_t i = 0; i < sm::kReasons; ++i) {
    const std::string_view reason = to_text(static_cast<sm::Reason>(i));
    add(catalog, fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason),
        "inst",
        fmt::format("warp cycles in state {} / issued instructions, both of the simulated SM",
                    reason),
        [i](const sm::States& states) { return states.warps[i] / states.issued; });
  }
}

}  // namespace

void add_state_metrics(Catalog& catalog) {
  add_reasons(catalog);
  add(catalog, "smsp__average_warp_latency_per_inst_issued.ratio", "cycle",
      "warp cycles / issued instructions, both of the simulated SM",
      [](const sm::States& states) { return states.latency(); });
  add(catalog, "smsp__average_warps_active_per_inst_executed.ratio", "cycle",
      "warp cycles / executed instructions, both of the simulated SM",
      [](const sm::States& states) { return states.latency(); });
  add(catalog, "smsp__warps_eligible.avg.per_cycle_active", "warp",
      "cycles of eligible warps / active cycles of the schedulers, both of the simulated SM",
      [](const sm::States& states) { return states.eligible / scheduler_cycles(states); });
}

}  // namespace warpledger::profile
