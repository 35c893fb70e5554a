#include "warpledger/sm/states.h"

#include <numeric>

namespace warpledger::sm {

std::string_view to_text(Reason reason) {
  constexpr std::string_view kNames[kReasons] = {
      "barrier",         "branch_resolving",   "dispatch_stall",
      "drain",           "imc_miss",           "lg_throttle",
      "long_scoreboard", "math_pipe_throttle", "membar",
      "mio_throttle",    "no_instruction",     "not_selected",
      "selected",        "short_scoreboard",   "wait"};
  return kNames[static_cast<size_t>(reason)];
}

double sum_of(const Cycles& cycles) { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

double States::share(Reason reason) const {
  const double all = sum_of(warps);
  return all == 0 ? 0 : warps[static_cast<size_t>(reason)] / all;
}

States mean_of(const States& some, double share, const States& others) {
  const auto mean = [share](double a, double b) { return share * a + (1 - share) * b; };
  States made{.cycles = mean(some.cycles, others.cycles),
              .active_cycles = mean(some.active_cycles, others.active_cycles),
              .issued = mean(some.issued, others.issued),
              .eligible = mean(some.eligible, others.eligible)};
  made.instructions = some.instructions;
  for (size_t i = 0; i < made.instructions.size(); ++i) {
    const InstructionStates& other = others.instructions[i];
    InstructionStates& one = made.instructions[i];
    if (!one.waited_for) one.waited_for = other.waited_for;
    for (size_t r = 0; r < kReasons; ++r) {
      one.cycles[r] = mean(one.cycles[r], other.cycles[r]);
      made.warps[r] += one.cycles[r];
    }
  }
  return made;
}

}  // namespace warpledger::sm
