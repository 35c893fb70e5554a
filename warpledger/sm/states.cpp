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

}  // namespace warpledger::sm
