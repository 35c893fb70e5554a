// How the result of a lowered step is held: once for the warp, as a pair, or lane by lane.
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::SpecialRegister;
using reference::Step;
using reference::Value;

// add and its like: results of pairs are pairs again.
Holding affine_holding(const Analysis& a, const Step& step) {
  const auto of = [&](size_t i) { return a.holding_of(step.operands[i]); };
  const auto uniform = [&](size_t i) { return of(i) == Holding::kUniform; };
  const auto pair = [&](size_t i) { return of(i) == Holding::kPair; };
  const auto varies = [&](size_t i) {
    return step.operands[i].kind == Value::Kind::kRegister ||
           step.operands[i].kind == Value::Kind::kSpecial;
  };
  switch (step.spelling().op()) {
    case Op::kAdd:
    case Op::kSub:
      return pair(1) || pair(2) || (uniform(1) && varies(1)) || (uniform(2) && varies(2))
                 ? Holding::kPair
                 : Holding::kVector;
    case Op::kMov:
    case Op::kCvta:
    case Op::kCvt:
      return of(1);
    case Op::kMul:
      return (uniform(1) && pair(2)) || (uniform(2) && pair(1)) ? Holding::kPair : Holding::kVector;
    case Op::kShl:
      return uniform(2) ? of(1) : Holding::kVector;
    case Op::kMad: {
      const bool product = (uniform(1) && pair(2)) || (uniform(2) && pair(1));
      return product || pair(3) || (uniform(3) && varies(3)) ? Holding::kPair : Holding::kVector;
    }
    default:
      return Holding::kVector;
  }
}

bool is_affine(const Step& step) {
  const Variant& v = *step.variant;
  const int bits = v.type[0].bits;
  if (v.type[0].is_float || v.type[1].is_float || v.type[0].is_predicate || bits < 32) return false;
  switch (step.spelling().op()) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMov:
    case Op::kCvta:
    case Op::kShl:
      return true;
    case Op::kCvt:
      return v.type[1].bits >= 32;
    case Op::kMul:
    case Op::kMad:
      return v.get(Slot::kHalf) != Modifier::kHi;
    default:
      return false;
  }
}

Holding load_holding(const Analysis& a, const Step& step) {
  const bool is_uniform = a.holding_of(step.operands[1]) == Holding::kUniform;
  return is_uniform && is_one_place(step.spelling().space()) ? Holding::kUniform : Holding::kVector;
}

/// Executed by the interpreter, and the same for lanes whose operands are: no lane's answer depends
/// on what another one did in between.
bool answers_alike(const Step& step) {
  switch (step.spelling().op()) {
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
    case Op::kMapa:
    case Op::kGetctarank:
      return step.guard == UINT32_MAX;
    case Op::kMov:
      return step.guard == UINT32_MAX && step.operands[1].kind == Value::Kind::kSpecial &&
             ptx::is_of_the_cluster(static_cast<SpecialRegister>(step.operands[1].slot));
    default:
      return false;
  }
}

Holding all_operands(const Analysis& a, const Step& step) {
  Holding all = Holding::kUniform;
  for (size_t i = 1; i < step.operands.size(); ++i)
    all = std::max(all, a.holding_of(step.operands[i]));
  return all;
}

/// mov of {a, b}, or into it.
Holding pack_holding(const Analysis& a, const Step& step) {
  const Value& from = step.operands[1];
  if (from.kind != Value::Kind::kList)
    return a.holding_of(from) == Holding::kUniform ? Holding::kUniform : Holding::kVector;
  for (uint32_t i = 0; i < from.count; ++i)
    if (a.holding_of(a.code->values[from.slot + i]) != Holding::kUniform) return Holding::kVector;
  return Holding::kUniform;
}

}  // namespace

bool scales_lanes(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kMul || op == Op::kMad || op == Op::kShl;
}

TidShape tid_shape(const Extent& block) {
  if (block[0] % 32 == 0) return TidShape::kWholeRows;
  const bool planes = 32 % block[0] == 0 && block[1] % (32 / block[0]) == 0;
  return planes ? TidShape::kSmallRows : TidShape::kOther;
}

Holding special_holding(const Extent& block, const Value& value) {
  switch (static_cast<SpecialRegister>(value.slot)) {
    case SpecialRegister::kLaneid:
      return Holding::kPair;
    case SpecialRegister::kTid: {
      const TidShape shape = tid_shape(block);
      const bool uniform = shape == TidShape::kWholeRows   ? value.component > 0
                           : shape == TidShape::kSmallRows ? value.component > 1
                                                           : false;
      return uniform ? Holding::kUniform : Holding::kPair;
    }
    default:
      return Holding::kUniform;
  }
}

Holding result_holding(const Analysis& a, const Step& step) {
  if (!is_lowered(step)) {
    const bool alike = answers_alike(step) && all_operands(a, step) == Holding::kUniform;
    return alike ? Holding::kUniform : Holding::kVector;
  }
  switch (step.spelling().op()) {
    case Op::kLd:
      return load_holding(a, step);
    case Op::kActivemask:
      return Holding::kUniform;
    case Op::kMma:
    case Op::kLdmatrix:
    case Op::kShfl:
    case Op::kVote:
    case Op::kRedux:
    case Op::kBarWarpSync:
      return Holding::kVector;
    case Op::kMov:
      if (step.of_first_lane) return Holding::kUniform;
      if (can_pack(step)) return pack_holding(a, step);
      break;
    default:
      break;
  }
  if (carries(step.spelling())) return Holding::kVector;
  if (all_operands(a, step) == Holding::kUniform) return Holding::kUniform;
  return is_affine(step) ? affine_holding(a, step) : Holding::kVector;
}

}  // namespace warpledger::exec::jit
