// LLVM. Comparison and selection.
#include "warpledger/exec/jit/emitter.h"

namespace warpledger::exec::jit {
namespace {

using llvm::CmpInst;
using ptx::Modifier;

CmpInst::Predicate float_predicate(Modifier compare) {
  switch (compare) {
    case Modifier::kEq:
      return CmpInst::FCMP_OEQ;
    case Modifier::kNe:
      return CmpInst::FCMP_ONE;
    case Modifier::kLt:
    case Modifier::kLo:
      return CmpInst::FCMP_OLT;
    case Modifier::kLe:
    case Modifier::kLs:
      return CmpInst::FCMP_OLE;
    case Modifier::kGt:
    case Modifier::kHi:
      return CmpInst::FCMP_OGT;
    case Modifier::kGe:
    case Modifier::kHs:
      return CmpInst::FCMP_OGE;
    case Modifier::kEqu:
      return CmpInst::FCMP_UEQ;
    case Modifier::kNeu:
      return CmpInst::FCMP_UNE;
    case Modifier::kLtu:
      return CmpInst::FCMP_ULT;
    case Modifier::kLeu:
      return CmpInst::FCMP_ULE;
    case Modifier::kGtu:
      return CmpInst::FCMP_UGT;
    case Modifier::kGeu:
      return CmpInst::FCMP_UGE;
    case Modifier::kNum:
      return CmpInst::FCMP_ORD;
    default:
      return CmpInst::FCMP_UNO;
  }
}

CmpInst::Predicate integer_predicate(Modifier compare, bool is_signed) {
  switch (compare) {
    case Modifier::kEq:
    case Modifier::kEqu:
      return CmpInst::ICMP_EQ;
    case Modifier::kNe:
    case Modifier::kNeu:
      return CmpInst::ICMP_NE;
    case Modifier::kLt:
    case Modifier::kLtu:
      return is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    case Modifier::kLe:
    case Modifier::kLeu:
      return is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    case Modifier::kGt:
    case Modifier::kGtu:
      return is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    case Modifier::kGe:
    case Modifier::kGeu:
      return is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
    case Modifier::kLo:
      return CmpInst::ICMP_ULT;
    case Modifier::kLs:
      return CmpInst::ICMP_ULE;
    case Modifier::kHi:
      return CmpInst::ICMP_UGT;
    default:
      return CmpInst::ICMP_UGE;  // .hs
  }
}

}  // namespace

using ptx::Op;
using ptx::Slot;

bool Emitter::emit_compare(const Step& step) {
  const Variant& v = *step.variant;
  const auto bits = static_cast<unsigned>(v.type[0].bits);
  const auto by_lane = [&](size_t from) {
    bool any = false;
    for (size_t i = from; i < step.operands.size(); ++i) any |= !is_uniform(step.operands[i]);
    return any;
  };
  const auto value = [&](size_t i, unsigned width, bool vectors, bool keep_nan) {
    return vectors ? vector(step.operands[i], width, keep_nan)
                   : uniform(step.operands[i], width, keep_nan);
  };
  if (step.spelling().op() == Op::kSelp) {
    const bool vectors = by_lane(1);
    const bool keeps = step.operands[0].kind == reference::Value::Kind::kRegister &&
                       analysis_.lazy_nan[step.operands[0].slot];
    V chooses =
        is_uniform(step.operands[3]) ? uniform(step.operands[3], 1) : vector(step.operands[3], 1);
    write_result(step, b_.CreateSelect(chooses, value(1, bits, vectors, keeps),
                                       value(2, bits, vectors, keeps)));
    return true;
  }
  if (step.spelling().op() != Op::kSetp) return false;
  const bool vectors = by_lane(1);
  V a = value(1, bits, vectors, true), b = value(2, bits, vectors, true);
  const Modifier compare = v.get(Slot::kCompare);
  V result = nullptr;
  if (v.type[0].is_float) {
    if (v.mode.ftz && bits == 32) a = flushed(a), b = flushed(b);
    llvm::Type* floats = like(a, bits == 32 ? b_.getFloatTy() : b_.getDoubleTy());
    result = b_.CreateFCmp(float_predicate(compare), b_.CreateBitCast(a, floats),
                           b_.CreateBitCast(b, floats));
  } else {
    result = b_.CreateICmp(integer_predicate(compare, v.type[0].is_signed), a, b);
  }
  const auto combined = [&](V one) -> V {
    if (step.operands.size() < 4) return one;
    V with = value(3, 1, vectors, false);
    switch (v.get(Slot::kBool)) {
      case Modifier::kAnd:
        return b_.CreateAnd(one, with);
      case Modifier::kOr:
        return b_.CreateOr(one, with);
      case Modifier::kXor:
        return b_.CreateXor(one, with);
      default:
        return one;
    }
  };
  const auto put = [&](const Operand& to, V one) {
    write(to, one->getType()->isVectorTy() ? LaneValue{nullptr, one} : LaneValue{one, nullptr});
  };
  const Operand& to = step.operands[0];
  if (to.kind != reference::Value::Kind::kList) {
    put(to, combined(result));
    return true;
  }
  V first = combined(result), second = combined(b_.CreateNot(result));
  put(code_.values[to.slot], first);
  put(code_.values[to.slot + 1], second);
  return true;
}

}  // namespace warpledger::exec::jit
