// The named barriers of a block.
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/warp.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using Reduction = NamedBarrier::Reduction;

uint32_t threads_of(const Context& context) {
  const Extent& block = context.launch.block;
  return block[0] * block[1] * block[2];
}

Reduction reduction_of(const Instruction& instruction) {
  if (!instruction.has(M::kRED)) return Reduction::kNone;
  if (instruction.has(M::kPOPC)) return Reduction::kCount;
  return instruction.has(M::kAND) ? Reduction::kAnd : Reduction::kOr;
}

/// Which barrier, and how many threads it joins: a second number, or the whole block.
struct Named {
  uint32_t id = 0, threads = 0;
};
Named name_of(Context& context, const Instruction& instruction, int lane) {
  Named named{.threads = threads_of(context)};
  size_t numbers = 0;
  for (const Operand& operand : instruction.operands) {
    if (is_predicate(operand)) continue;
    const uint32_t value = Lane(context, lane).integer(operand);
    if (numbers == 0) named.id = value;
    if (numbers == 1 && value != 0) named.threads = value;
    ++numbers;
  }
  return named;
}

uint32_t result_of(const NamedBarrier& barrier, Reduction reduction) {
  if (reduction == Reduction::kCount) return barrier.count;
  return (reduction == Reduction::kAnd ? barrier.all : barrier.any) ? ~0U : 0;
}

void open(Block& block, NamedBarrier& barrier) {
  for (const NamedBarrier::Waiting& waiting : barrier.waiting) {
    Warp& warp = block.warps[waiting.warp];
    const auto lane = static_cast<size_t>(waiting.lane);
    warp.state[lane] = LaneState::kRuns;
    if (waiting.reduction != Reduction::kNone)
      warp.barrier_result[lane] = result_of(barrier, waiting.reduction);
  }
  barrier = {};
}

}  // namespace

void arrive(Context& context, const Instruction& instruction, Lanes lanes) {
  const Reduction reduction = reduction_of(instruction);
  const Named first = name_of(context, instruction, __builtin_ctz(lanes));
  context.recorder->note_barrier(context, first.id, first.threads, lanes,
                                 !instruction.has(M::kARV));
  for_each_lane(lanes, [&](int lane) {
    const Named named = name_of(context, instruction, lane);
    if (named.id >= kNamedBarriers)
      return context.stop(instruction.text + " names a barrier above 15", "bad-cubin");
    NamedBarrier& barrier = context.block->barriers[named.id];
    barrier.expected = named.threads;
    ++barrier.arrived;
    if (reduction != Reduction::kNone) {
      const bool value = Lane(context, lane).predicate(instruction.operands.back());
      barrier.any = barrier.any || value;
      barrier.all = barrier.all && value;
      barrier.count += value ? 1 : 0;
    }
    if (instruction.has(M::kARV)) return;
    barrier.waiting.push_back({context.warp->index, lane, reduction});
    context.warp->state[static_cast<size_t>(lane)] = LaneState::kAtBarrier;
  });
}

void open_barriers(Block& block) {
  uint32_t live = 0;
  for (const Warp& warp : block.warps) live += static_cast<uint32_t>(__builtin_popcount(warp.live));
  for (NamedBarrier& barrier : block.barriers) {
    if (barrier.arrived == 0) continue;
    const bool all_there = barrier.arrived >= barrier.expected;
    if (all_there || barrier.waiting.size() >= live) open(block, barrier);
  }
}

/// What the last BAR.RED answered: a number, or whether it is not zero.
void read_barrier(Lane& lane, const Instruction& instruction) {
  const uint32_t value = lane.context().warp->barrier_result[static_cast<size_t>(lane.number())];
  for (const Operand& operand : instruction.operands) {
    if (is_predicate(operand))
      lane.set_predicate(operand, value != 0);
    else
      lane.set(operand, value);
  }
}

}  // namespace warpledger::exec::machine
