// Branches, calls, and lanes that wait for each other. Every lane's next address is already that
// of the following instruction.
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// Predicates among the operands narrow the lanes beside the guard: "BRA !P0, `(.L_x_1)".
Lanes narrowed(Context& context, const Instruction& instruction, Lanes lanes) {
  Lanes left = 0;
  for_each_lane(lanes, [&](int lane) {
    for (const Operand& operand : instruction.operands) {
      if (is_predicate(operand) && !Lane(context, lane).predicate(operand)) return;
    }
    left |= 1U << lane;
  });
  return left;
}

uint64_t& next_of(Lane& lane) {
  return lane.context().warp->next[static_cast<size_t>(lane.number())];
}

uint64_t signed_word(uint32_t word) {
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(word)));
}

const Operand& barrier_operand(const Instruction& instruction) {
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kBarrier) return operand;
  }
  return instruction.operands.front();
}

void wait_as(Lane& lane, LaneState state) {
  lane.context().warp->state[static_cast<size_t>(lane.number())] = state;
}

/// The lanes that are at this instruction, with guards that hold or not.
Lanes stepping(const Context& context) {
  Lanes here = 0;
  for_each_lane(context.warp->live, [&](int lane) {
    if (context.warp->last_step[static_cast<size_t>(lane)] == context.steps) here |= 1U << lane;
  });
  return here;
}

/// The lanes that BRA.DIV and BRA.CONV name.
Lanes named_lanes(Context& context, const Instruction& instruction, Lanes lanes) {
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kUniform || operand.kind == OperandKind::kRegister)
      return Lane(context, __builtin_ctz(lanes)).integer(operand);
  }
  return ~0U;
}

}  // namespace

/// .CONV branches where all named lanes are here. .DIV branches where they are not, or where one's
/// guard does not hold: then all that are here do, whatever their guards. .ANY: all, if any's does.
void branch(Context& context, const Instruction& instruction, Lanes lanes) {
  if (!instruction.target) return context.stop(instruction.text + " leads nowhere", "bad-cubin");
  const bool takes_all = instruction.has(M::kDIV) || instruction.has(M::kANY);
  Lanes taken = takes_all ? stepping(context) : narrowed(context, instruction, lanes);
  if (instruction.has(M::kDIV) || instruction.has(M::kCONV)) {
    const Lanes all = named_lanes(context, instruction, taken) & context.warp->live;
    if ((lanes == all) != instruction.has(M::kCONV)) return;
    if (instruction.has(M::kCONV)) taken = lanes;
  }
  for_each_lane(taken, [&](int lane) {
    context.warp->next[static_cast<size_t>(lane)] = *instruction.target;
  });
}

/// The register holds an offset from the following instruction.
void branch_by_register(Lane& lane, const Instruction& instruction) {
  const Operand& by = instruction.operands[0];
  next_of(lane) = instruction.address + kInstructionBytes + signed_word(lane.word(by)) +
                  static_cast<uint64_t>(by.offset);
}

/// A function by its name, or by a register: then relative to the function that is named, or an
/// address.
void call(Lane& lane, const Instruction& instruction) {
  const Operand& to = instruction.operands[0];
  if (to.kind == OperandKind::kTarget) {
    if (!instruction.target)
      return lane.context().stop(
          instruction.text + " calls a function that the cubin does not contain",
          "undefined-function");
    next_of(lane) = *instruction.target;
  } else if (instruction.target) {
    next_of(lane) = signed_word(lane.word(to)) + *instruction.target;
  } else if (instruction.has(M::kREL)) {
    next_of(lane) = lane.pair(to) + instruction.address + kInstructionBytes;
  } else {
    next_of(lane) = lane.pair(to);
  }
}

void give_back(Lane& lane, const Instruction& instruction) {
  const Operand& to = instruction.operands[0];
  next_of(lane) = instruction.has(M::kABS)
                      ? lane.pair(to)
                      : signed_word(lane.word(to)) + instruction.target.value_or(0);
}

void read_counter(Lane& lane, const Instruction& instruction) {
  lane.set_pair(instruction.operands[0], instruction.target.value_or(instruction.address));
}

void leave(Context& context, const Instruction& instruction, Lanes lanes) {
  const Lanes gone = narrowed(context, instruction, lanes);
  for_each_lane(
      gone, [&](int lane) { context.warp->state[static_cast<size_t>(lane)] = LaneState::kExited; });
  context.warp->live &= ~gone;
}

/// The lanes that are here will wait for each other at the BSYNC of that barrier.
void set_convergence(Context& context, const Instruction& instruction, Lanes lanes) {
  for_each_lane(lanes, [&](int lane) {
    context.warp->convergence[static_cast<size_t>(lane)][barrier_operand(instruction).index] =
        lanes;
  });
}

void converge(Lane& lane, const Instruction& instruction) {
  lane.context().warp->waits_at[static_cast<size_t>(lane.number())] =
      barrier_operand(instruction).index;
  wait_as(lane, LaneState::kAtConvergence);
}

/// Nobody waits any more for the lanes that are here.
void leave_convergence(Context& context, const Instruction& instruction, Lanes lanes) {
  const Lanes gone = narrowed(context, instruction, lanes);
  for (auto& barriers : context.warp->convergence)
    barriers[barrier_operand(instruction).index] &= ~gone;
}

void move_convergence(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  auto& barriers = lane.context().warp->convergence[static_cast<size_t>(lane.number())];
  if (operands[0].kind == OperandKind::kBarrier) {
    barriers[operands[0].index] = lane.word(operands[1]);
    return;
  }
  lane.set(operands[0], barriers[operands[1].index]);
  if (instruction.has(M::kCLEAR)) barriers[operands[1].index] = 0;
}

/// The lanes that are named wait for each other. .COLLECTIVE: they run on together until
/// ENDCOLLECTIVE, which precedes the target.
void meet(Lane& lane, const Instruction& instruction) {
  Lanes named = ~0U;
  for (const Operand& operand : instruction.operands) {
    if (!is_predicate(operand) && operand.kind != OperandKind::kTarget)
      named = lane.integer(operand);
  }
  if (instruction.has(M::kALL)) named = ~0U;
  lane.context().warp->waits_for[static_cast<size_t>(lane.number())] = named;
  wait_as(lane, LaneState::kAtWarpSync);
}

void yield(Context& context, const Instruction&, Lanes) { ++context.warp->yields; }

void trap(Context& context, const Instruction&, Lanes) {
  context.stop("the kernel executed a trap", "trap");
}

}  // namespace warpledger::exec::machine
