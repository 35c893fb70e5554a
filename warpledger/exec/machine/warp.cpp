#include "warpledger/exec/machine/warp.h"

#include <fmt/core.h>

#include "warpledger/exec/machine/external.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/waiting.h"

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kYields = 64;       // until others have their turn
constexpr uint64_t kTurnSteps = 2048;  // and without any
constexpr uint64_t kPatience = 65536;  // before that, where nothing looks like polling

bool can_run(const Warp& warp, int lane) {
  return (warp.live >> lane & 1) != 0 && warp.state[static_cast<size_t>(lane)] == LaneState::kRuns;
}

/// Whether every lane of `needed` waits in that way, and at that convergence barrier.
bool all_wait(const Warp& warp, Lanes needed, LaneState state, uint8_t barrier) {
  bool all = true;
  for_each_lane(needed, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const bool there = state != LaneState::kAtConvergence || warp.waits_at[at] == barrier;
    all = all && warp.state[at] == state && there;
  });
  return all;
}

/// Lets the lanes go on that have waited for each other, and those whose mbarrier has changed.
void release(Block& block, Warp& warp) {
  for_each_lane(warp.live, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const LaneState state = warp.state[at];
    if (state == LaneState::kAtPhase && may_look_again(block, warp.phase[at]))
      warp.state[at] = LaneState::kRuns;
    if (state == LaneState::kAtProducts && has_products(block, warp))
      warp.state[at] = LaneState::kRuns;
    Lanes needed = 0;
    if (state == LaneState::kAtConvergence)
      needed = warp.convergence[at][warp.waits_at[at]];
    else if (state == LaneState::kAtWarpSync)
      needed = warp.waits_for[at];
    else
      return;
    needed = (needed | 1U << lane) & warp.live;
    if (!all_wait(warp, needed, state, warp.waits_at[at])) return;
    for_each_lane(needed,
                  [&](int other) { warp.state[static_cast<size_t>(other)] = LaneState::kRuns; });
  });
}

/// Lanes at a BSYNC go on without those that have yielded so often: they may wait for what a lane
/// at the BSYNC has still to do, such as to open a lock.
void give_up_convergence(Warp& warp) {
  for_each_lane(warp.live, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    if (warp.state[at] != LaneState::kAtConvergence) return;
    warp.state[at] = LaneState::kRuns;
    for (auto& barriers : warp.convergence) barriers[warp.waits_at[at]] &= ~(1U << lane);
  });
}

/// The lane whose instruction comes next; -1 when none can run. Where no lane polls the turns would
/// only change how often diverged lanes execute what they could execute together.
int choose(Warp& warp, const Context& context) {
  const bool may_wait = context.loaded.may_poll || warp.left_behind >= kPatience;
  const bool takes_turns = warp.yields >= kYields || (may_wait && context.steps % kTurnSteps == 0);
  if (warp.yields >= kYields) {
    warp.yields = 0;
    give_up_convergence(warp);
  }
  int best = -1;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!can_run(warp, lane)) continue;
    const auto at = static_cast<size_t>(lane), chosen = static_cast<size_t>(best);
    if (best < 0 || (takes_turns ? warp.last_step[at] < warp.last_step[chosen]
                                 : warp.next[at] < warp.next[chosen]))
      best = lane;
  }
  return best;
}

Lanes lanes_at(const Warp& warp, uint64_t address) {
  Lanes lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (can_run(warp, lane) && warp.next[static_cast<size_t>(lane)] == address) lanes |= 1U << lane;
  }
  return lanes;
}

/// Whether no other lane can run.
bool runs_all(const Warp& warp, Lanes lanes) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (can_run(warp, lane) && (lanes >> lane & 1) == 0) return false;
  return true;
}

/// The lanes whose guard holds.
Lanes guarded(const Warp& warp, const Instruction& instruction, Lanes lanes) {
  Lanes holds = ~0U;
  if (instruction.guard != kTruePredicate) {
    holds = warp.predicates[instruction.guard];
    if (instruction.guard_is_uniform)
      holds = (warp.uniform_predicates >> instruction.guard & 1) != 0 ? ~0U : 0;
  }
  return lanes & (instruction.guard_inverted ? ~holds : holds);
}

/// A warp went where there is no code: to a function that a driver has, or anywhere.
void leave_code(Context& context, uint64_t address) {
  const auto external = context.loaded.externals.find(address);
  const bool is_external = external != context.loaded.externals.end();
  if (is_external && call_external(context, external->second, lanes_at(*context.warp, address)))
    return;
  if (is_external)
    return context.stop(
        fmt::format("the machine code calls '{}', which only NVIDIA's driver provides",
                    external->second),
        "undefined-function");
  context.stop(fmt::format("a warp jumps to 0x{:x}, where there is no code", address), "bad-call");
}

void execute(Context& context, const Instruction& instruction, Lanes lanes) {
  const Row* row = instruction.row;
  if (row == nullptr)
    return context.stop(fmt::format("machine instruction '{}' is not supported", instruction.text),
                        "unsupported-opcode");
  if (row->warp != nullptr) return row->warp(context, instruction, lanes);
  if (row->is_uniform) lanes &= -lanes;
  for_each_lane(lanes, [&](int number) {
    if (context.fault) return;
    Lane lane(context, number);
    row->lane(lane, instruction);
  });
}

/// Branches, and those after which lanes that were together are not.
void count_branch(Context& context, const Instruction& instruction, Lanes lanes) {
  const Row* row = instruction.row;
  if (row == nullptr || row->pipe != Pipe::kCbu) return;
  const bool branches = row->opcode == "BRA" || row->opcode == "BRX" || row->opcode == "JMP";
  if (!branches) return;
  ++context.branches;
  const auto& next = context.warp->next;
  const uint64_t first = next[static_cast<size_t>(__builtin_ctz(lanes))];
  bool same = true;
  for_each_lane(lanes, [&](int lane) { same &= next[static_cast<size_t>(lane)] == first; });
  if (!same) ++context.divergent_branches;
}

}  // namespace

bool step(Context& context, Counts& counts) {
  Warp& warp = *context.warp;
  release(*context.block, warp);
  const int first = choose(warp, context);
  if (first < 0) return false;
  const uint64_t address = warp.next[static_cast<size_t>(first)];
  const Program& program = context.loaded.program;
  const auto found = program.find(address);
  if (!found) {
    leave_code(context, address);
    return true;
  }
  const Instruction& instruction = program.instructions[*found];
  const Lanes lanes = lanes_at(warp, address);
  ++context.steps;
  warp.left_behind = runs_all(warp, lanes) ? 0 : warp.left_behind + 1;
  for_each_lane(lanes, [&](int lane) {
    warp.next[static_cast<size_t>(lane)] = address + kInstructionBytes;
    warp.last_step[static_cast<size_t>(lane)] = context.steps;
  });
  const Lanes active = guarded(warp, instruction, lanes);
  context.recorder->note(context, instruction, active);
  // BRA.DIV asks whether guards hold: it acts also where none does.
  context.repeats = false;
  if (active != 0 || instruction.has(Modifier::kDIV)) execute(context, instruction, active);
  if (context.repeats) {
    for_each_lane(lanes, [&](int lane) { warp.next[static_cast<size_t>(lane)] = address; });
    return true;
  }
  ++counts.executions[*found];
  counts.lanes[*found] += static_cast<uint64_t>(__builtin_popcount(active));
  count_branch(context, instruction, lanes);
  return true;
}

}  // namespace warpledger::exec::machine
