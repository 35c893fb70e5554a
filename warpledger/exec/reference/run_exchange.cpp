// shfl, vote, match, redux, elect: instructions that a warp executes as one.
#include "warpledger/exec/reference/engine.h"
#include "warpledger/exec/reference/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// The member mask is the operand `index`; all its lanes must be here.
bool gather_members(Context& context, const Step& step, size_t index) {
  if (context.lanes == 0) return false;
  const auto wanted =
      static_cast<Lanes>(context.read(step.operands[index], __builtin_ctz(context.lanes)));
  return context.gather(step, wanted);
}
Outcome not_here(const Context& context) {
  return context.lanes == 0 ? Outcome::kNext : Outcome::kStay;
}

void write_both(const Context& context, const Value& to, int lane, uint64_t value, bool predicate) {
  if (to.kind != Value::Kind::kList) return context.write(to, lane, value);
  const auto parts = context.children(to);
  context.write(parts[0], lane, value);
  context.write(parts[1], lane, predicate ? 1 : 0);
}

PerLane<uint64_t> read_all(const Context& context, const Value& value) {
  PerLane<uint64_t> values{};
  for_each_lane(context.lanes,
                [&](int lane) { values[static_cast<size_t>(lane)] = context.read(value, lane); });
  return values;
}

// A lane that reads from one that takes no part gets an undefined value: its own is kept.
Outcome run_shfl(Context& context, const Step& step) {
  if (!gather_members(context, step, 4)) return not_here(context);
  if (step.dropped) return Outcome::kNext;
  const PerLane<uint64_t> values = read_all(context, step.operands[1]);
  const PerLane<uint64_t> by = read_all(context, step.operands[2]),
                          clamp = read_all(context, step.operands[3]);
  const Modifier mode = step.variant->get(Slot::kOperation);
  for_each_lane(context.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const ShuffleSource from =
        shuffle_source(mode, lane, static_cast<uint32_t>(by[at]), static_cast<uint32_t>(clamp[at]));
    const bool there = ((context.lanes >> from.lane) & 1) != 0;
    write_both(context, step.operands[0], lane, values[there ? static_cast<size_t>(from.lane) : at],
               from.in_range);
  });
  return Outcome::kNext;
}

Outcome run_vote(Context& context, const Step& step) {
  if (!gather_members(context, step, 2)) return not_here(context);
  if (step.dropped) return Outcome::kNext;
  Lanes predicate = 0;
  for_each_lane(context.lanes, [&](int lane) {
    if ((context.read(step.operands[1], lane) & 1) != 0) predicate |= 1u << lane;
  });
  const uint32_t result = vote(step.variant->get(Slot::kOperation), predicate, context.lanes);
  for_each_lane(context.lanes, [&](int lane) { context.write(step.operands[0], lane, result); });
  return Outcome::kNext;
}

Outcome run_match(Context& context, const Step& step) {
  if (!gather_members(context, step, 2)) return not_here(context);
  if (step.dropped) return Outcome::kNext;
  const PerLane<uint64_t> values = read_all(context, step.operands[1]);
  const bool all = step.variant->has(Modifier::kAll);
  for_each_lane(context.lanes, [&](int lane) {
    const Lanes same =
        all ? match_all(values, context.lanes) : match_any(values, context.lanes, lane);
    write_both(context, step.operands[0], lane, same, same != 0);
  });
  return Outcome::kNext;
}

Outcome run_redux(Context& context, const Step& step) {
  if (!gather_members(context, step, 2)) return not_here(context);
  if (step.dropped) return Outcome::kNext;
  const uint32_t result = reduce(*step.variant, read_all(context, step.operands[1]), context.lanes);
  for_each_lane(context.lanes, [&](int lane) { context.write(step.operands[0], lane, result); });
  return Outcome::kNext;
}

// The lowest lane of the mask is elected.
Outcome run_elect(Context& context, const Step& step) {
  if (!gather_members(context, step, 1)) return not_here(context);
  if (step.dropped) return Outcome::kNext;
  const int leader = __builtin_ctz(context.lanes);
  for_each_lane(context.lanes, [&](int lane) {
    write_both(context, step.operands[0], lane, static_cast<uint64_t>(leader), lane == leader);
  });
  return Outcome::kNext;
}

}  // namespace

Execute find_exchange(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kShfl, run_shfl},   {Op::kVote, run_vote},   {Op::kMatch, run_match},
      {Op::kRedux, run_redux}, {Op::kElect, run_elect},
  };
  // shfl and vote without .sync were removed from the language.
  return spelling.tier() == ptx::Tier::kParsed ? nullptr : find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
