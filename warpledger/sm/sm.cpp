#include "warpledger/sm/sm.h"

#include <algorithm>

#include "warpledger/sm/core.h"

namespace warpledger::sm {
namespace {

/// Whether a launch that is not seen to its end has got into its stride: as many blocks have ended
/// as were there first, or most of the effort is spent.
bool is_settled(const Core& core, const Launch& launch, const Effort& effort) {
  constexpr int64_t kStart = 20'000;
  constexpr double kMost = 0.6;
  const double spent =
      std::max(static_cast<double>(core.now()) / static_cast<double>(effort.cycles),
               core.warp_cycles() / static_cast<double>(effort.warp_cycles));
  return (core.finished() >= launch.resident && core.now() > kStart) || spent > kMost;
}

/// Instructions that the blocks of an SM issue, by how often each block of code ran.
double instructions_of(const Program& program, const Launch& launch) {
  double all = 0;
  const auto add = [&](const std::vector<Block>& blocks) {
    for (const Block& block : blocks) all += block.executions * (block.end - block.first);
  };
  if (program.roles.empty()) {
    add(program.blocks);
    return all * launch.warps * launch.blocks;
  }
  for (uint32_t warp = 0; warp < launch.warps; ++warp) add(program.blocks_of(warp));
  return all * launch.blocks;
}

/// `all` and `factor` times what came after `start`.
void extend(const Tally& start, double factor, Tally& all) {
  const auto more = [factor](double& value, double before) { value += factor * (value - before); };
  more(all.cycles, start.cycles);
  more(all.active_cycles, start.active_cycles);
  more(all.issued, start.issued);
  more(all.eligible, start.eligible);
  for (size_t i = 0; i < all.instructions.size(); ++i)
    for (size_t r = 0; r < kReasons; ++r) more(all.instructions[i][r], start.instructions[i][r]);
}

States states_of(const Tally& tally) {
  States states{.cycles = tally.cycles,
                .active_cycles = tally.active_cycles,
                .issued = tally.issued,
                .eligible = tally.eligible};
  for (size_t i = 0; i < tally.instructions.size(); ++i) {
    InstructionStates& made = states.instructions.emplace_back();
    made.cycles = tally.instructions[i];
    for (size_t r = 0; r < kReasons; ++r) states.warps[r] += made.cycles[r];
    const auto& waits = tally.waited_for[i];
    const auto most =
        std::max_element(waits.begin(), waits.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != waits.end()) made.waited_for = most->first;
  }
  return states;
}

}  // namespace

States simulate(const Program& program, const Launch& launch, const Rates& rates,
                const Hardware& hardware, const Effort& effort, Seen* seen) {
  Core core(program, launch, rates, hardware);
  std::optional<Tally> start;
  bool goes_on = true;
  const auto has_effort = [&] {
    return core.now() < effort.cycles &&
           core.warp_cycles() < static_cast<double>(effort.warp_cycles);
  };
  while (goes_on && has_effort()) {
    if (!start && is_settled(core, launch, effort)) start = core.tally();
    goes_on = core.advance();
  }
  if (seen != nullptr) *seen = {core.spans(), core.tally().endless};
  Tally tally = core.tally();
  const double left = instructions_of(program, launch) - tally.issued;
  if (goes_on && start && left > 0 && tally.issued > start->issued)
    extend(*start, left / (tally.issued - start->issued), tally);
  return states_of(tally);
}

}  // namespace warpledger::sm
