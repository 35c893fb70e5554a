// Instructions that only move and compute values.
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec::reference {
namespace {

using numeric::uint128;
using ptx::Modifier;
using ptx::Op;
using ptx::Space;

// d|p: the low word, and bit 32.
void write_pair(const Context& context, const Value& pair, int lane, uint64_t result) {
  const auto parts = context.children(pair);
  context.write(parts[0], lane, result & 0xffffffff);
  context.write(parts[1], lane, result >> 32);
}

Outcome run_pure(Context& context, const Step& step) {
  const Value& to = step.operands[0];
  for_each_lane(context.lanes, [&](int lane) {
    Inputs in{.written = to.selector};
    for (const Value& value : step.operands.subspan(1)) {
      in.selector[in.count] = value.selector;
      in.negated[in.count] = value.negated;
      in.value[in.count++] = context.read(value, lane);
    }
    const uint64_t result = step.pure(*step.variant, in);
    if (to.kind == Value::Kind::kList)
      write_pair(context, to, lane, result);
    else
      context.write(to, lane, result);
  });
  return Outcome::kNext;
}

uint128 joined(const Context& context, const Value& value, int lane, int bits) {
  if (value.kind != Value::Kind::kList) {
    uint128 low = context.read(value, lane);
    if (bits > 64 && value.kind == Value::Kind::kRegister)
      low |= uint128{context.read_word(value, lane, 1)} << 64;
    return low;
  }
  const auto parts = context.children(value);
  const int width = bits / static_cast<int>(parts.size());
  uint128 all = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    all |= uint128{context.read(parts[i], lane) & numeric::mask_of(width)}
           << (static_cast<int>(i) * width);
  }
  return all;
}

// mov: also {a, b} into one register and back.
Outcome run_mov(Context& context, const Step& step) {
  const int bits = step.variant->type[0].bits;
  const Value& to = step.operands[0];
  for_each_lane(context.lanes, [&](int lane) {
    const uint128 all = joined(context, step.operands[1], lane, bits);
    if (to.kind != Value::Kind::kList) {
      context.write(to, lane, static_cast<uint64_t>(all));
      if (bits > 64) context.write_word(to, lane, 1, static_cast<uint64_t>(all >> 64));
      return;
    }
    const auto parts = context.children(to);
    const int width = bits / static_cast<int>(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      context.write(parts[i], lane, static_cast<uint64_t>(all >> (static_cast<int>(i) * width)));
    }
  });
  return Outcome::kNext;
}

uint64_t generic(Space space, uint64_t address) {
  const bool on_stack = space == Space::kParam && address >= kStackParam;
  return on_stack ? kLocalWindow + (address - kStackParam) : to_generic(space, address);
}

Outcome run_cvta(Context& context, const Step& step) {
  const Space space = step.spelling().space();
  const bool to = step.variant->has(Modifier::kTo);
  for_each_lane(context.lanes, [&](int lane) {
    const uint64_t address = context.read(step.operands[1], lane);
    context.write(step.operands[0], lane,
                  to ? address - window_of(space) : generic(space, address));
  });
  return Outcome::kNext;
}

Outcome run_isspacep(Context& context, const Step& step) {
  const Space asked = step.spelling().space();
  for_each_lane(context.lanes, [&](int lane) {
    const SpaceAddress at = from_generic(context.read(step.operands[1], lane));
    const bool shared = asked == Space::kShared || asked == Space::kSharedCluster;
    // A peer's shared memory is in the cluster's window and not in the CTA's.
    const bool own = asked == Space::kSharedCluster || context.engine.cluster_size() == 1 ||
                     at.offset >> kRankShift == context.cta.rank;
    const bool is = shared ? at.space == Space::kShared && own : at.space == asked;
    context.write(step.operands[0], lane, is ? 1 : 0);
  });
  return Outcome::kNext;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry is a bit of the thread.
Outcome run_carry(Context& context, const Step& step) {
  const Op op = step.spelling().op();
  const TypeInfo& type = step.variant->type[0];
  const bool takes = op == Op::kAddc || op == Op::kSubc || op == Op::kMadc;
  const bool gives = step.variant->has(Modifier::kCc);
  for_each_lane(context.lanes, [&](int lane) {
    bool& carry = context.warp.carry[static_cast<size_t>(lane)];
    uint64_t a = context.read(step.operands[1], lane), b = context.read(step.operands[2], lane);
    if (op == Op::kMad || op == Op::kMadc) {
      a = step.variant->has(Modifier::kHi) ? numeric::mul_hi(type.integer(), a, b) : a * b;
      b = context.read(step.operands[3], lane);
    }
    const bool in = takes && carry;
    const bool subtracts = op == Op::kSub || op == Op::kSubc;
    const numeric::Carried result = subtracts ? numeric::sub_borrow(type.bits, a, b, in)
                                              : numeric::add_carry(type.bits, a, b, in);
    context.write(step.operands[0], lane, result.value);
    if (gives) carry = result.carry;
  });
  return Outcome::kNext;
}

Outcome run_activemask(Context& context, const Step& step) {
  for_each_lane(context.lanes,
                [&](int lane) { context.write(step.operands[0], lane, context.lanes); });
  return Outcome::kNext;
}

// createpolicy: a policy is a hint and has no effect here; its value must only not be poison.
Outcome run_createpolicy(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) { context.write(step.operands[0], lane, 0); });
  return Outcome::kNext;
}

}  // namespace

Execute find_value(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kMov, run_mov},
      {Op::kCvta, run_cvta},
      {Op::kIsspacep, run_isspacep},
      {Op::kActivemask, run_activemask},
      {Op::kCreatepolicy, run_createpolicy},
  };
  if (carries(spelling)) return run_carry;
  if (find_pure(spelling) != nullptr) return run_pure;
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
