// Votes, shuffles, matches and reductions between the lanes that execute an instruction together.
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/numeric/integer.h"
#include "warpledger/ptx/modifier.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// What f(lane) answers for each lane.
template <class T, class F>
PerLane<T> gather(Context& context, Lanes lanes, F f) {
  PerLane<T> values = {};
  for_each_lane(lanes, [&](int lane) {
    Lane one(context, lane);
    values[static_cast<size_t>(lane)] = static_cast<T>(f(one));
  });
  return values;
}

}  // namespace

/// VOTE [d,] p, a: which lanes' predicate holds, and whether all or any do.
void vote(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const size_t at = is_predicate(operands[0]) ? 0 : 1;
  Lanes yes = 0;
  for_each_lane(lanes, [&](int lane) {
    if (Lane(context, lane).predicate(operands[at + 1])) yes |= 1U << lane;
  });
  bool result = yes != 0;
  if (instruction.has(M::kALL)) result = yes == lanes;
  if (instruction.has(M::kEQ)) result = yes == lanes || yes == 0;
  for_each_lane(lanes, [&](int lane) {
    Lane one(context, lane);
    if (at == 1) one.set(operands[0], yes);
    one.set_predicate(operands[at], result);
  });
}

/// ELECT p, d, a: the lowest of the lanes, in p of each and by its number in d.
void elect(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  if (operands.size() != 3 || operands[2].index != kTruePredicate || operands[2].inverted)
    return context.stop(instruction.text + " is not supported", "unsupported-opcode");
  const int elected = __builtin_ctz(lanes);
  for_each_lane(lanes, [&](int lane) {
    Lane one(context, lane);
    one.set(operands[1], static_cast<uint32_t>(elected));
    one.set_predicate(operands[0], lane == elected);
  });
}

/// SHFL p, d, a, b, c. From a lane that is not here a lane gets its own value, as PTX's shfl does.
void shuffle(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  ptx::Modifier mode = ptx::Modifier::kIdx;
  if (instruction.has(M::kUP)) mode = ptx::Modifier::kUp;
  if (instruction.has(M::kDOWN)) mode = ptx::Modifier::kDown;
  if (instruction.has(M::kBFLY)) mode = ptx::Modifier::kBfly;
  const auto values =
      gather<uint32_t>(context, lanes, [&](Lane& lane) { return lane.word(operands[2]); });
  PerLane<ShuffleSource> sources = {};
  for_each_lane(lanes, [&](int lane) {
    Lane one(context, lane);
    sources[static_cast<size_t>(lane)] =
        shuffle_source(mode, lane, one.integer(operands[3]), one.integer(operands[4]));
  });
  for_each_lane(lanes, [&](int lane) {
    const ShuffleSource& source = sources[static_cast<size_t>(lane)];
    const int asked = source.lane & (kWarpSize - 1);
    const int from = source.in_range && (lanes >> asked & 1) != 0 ? asked : lane;
    Lane one(context, lane);
    one.set(operands[1], values[static_cast<size_t>(from)]);
    one.set_predicate(operands[0], source.in_range);
  });
}

/// MATCH [p,] d, a: the lanes with the same value; .ALL: all lanes, if all have it.
void match(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const size_t at = is_predicate(operands[0]) ? 1 : 0;
  const auto values = gather<uint64_t>(context, lanes, [&](Lane& lane) {
    return instruction.has(M::kU64) ? lane.pair(operands[at + 1]) : lane.word(operands[at + 1]);
  });
  const auto same = [&](int lane) {
    Lanes found = 0;
    for_each_lane(lanes, [&](int other) {
      if (values[static_cast<size_t>(other)] == values[static_cast<size_t>(lane)])
        found |= 1U << other;
    });
    return found;
  };
  const bool all_same = same(__builtin_ctz(lanes)) == lanes;
  for_each_lane(lanes, [&](int lane) {
    Lane one(context, lane);
    if (!instruction.has(M::kALL)) return one.set(operands[at], same(lane));
    one.set(operands[at], all_same ? lanes : 0);
    if (at == 1) one.set_predicate(operands[0], all_same);
  });
}

void reduce(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const numeric::Integer type{32, instruction.has(M::kS32)};
  const auto combine = [&](uint64_t a, uint64_t b) -> uint64_t {
    if (instruction.has(M::kSUM)) return a + b;
    if (instruction.has(M::kOR)) return a | b;
    if (instruction.has(M::kXOR)) return a ^ b;
    if (instruction.has(M::kMIN)) return numeric::smaller(type, a, b);
    return instruction.has(M::kMAX) ? numeric::larger(type, a, b) : a & b;
  };
  std::optional<uint64_t> sum;
  for_each_lane(lanes, [&](int lane) {
    const uint64_t value = Lane(context, lane).integer(operands[1]);
    sum = sum ? combine(*sum, value) : value;
  });
  for_each_lane(lanes, [&](int lane) {
    Lane(context, lane).set(operands[0], static_cast<uint32_t>(sum.value_or(0)));
  });
}

}  // namespace warpledger::exec::machine
