// LLVM. Comparison and selection.
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using llvm::CmpInst;
using ptx::Modifier;
using ptx::Slot;

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

V compared(Emitter& e, const Step& step, V a, V b) {
  const Variant& v = *step.variant;
  const Modifier compare = v.get(Slot::kCompare);
  if (!v.type[0].is_float)
    return e.CreateICmp(integer_predicate(compare, v.type[0].is_signed), a, b);
  const auto bits = static_cast<unsigned>(v.type[0].bits);
  if (v.mode.ftz && bits == 32) a = flushed(e, a), b = flushed(e, b);
  llvm::Type* floats = e.float_like(a, bits);
  return e.CreateFCmp(float_predicate(compare), e.CreateBitCast(a, floats),
                      e.CreateBitCast(b, floats));
}

}  // namespace

void emit_selp(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool by_lane = differs_by_lane(e, step), keeps = has_lazy_result(e, step);
  const Operand& condition = step.operands[3];
  V chooses = operand(e, condition, 1, !is_uniform(e, condition));
  write_result(e, step,
               e.CreateSelect(chooses, operand(e, step.operands[1], bits, by_lane, keeps),
                              operand(e, step.operands[2], bits, by_lane, keeps)));
}

// setp d|q: the comparison and its opposite, each combined with a further predicate.
void emit_setp(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool by_lane = differs_by_lane(e, step);
  V a = operand(e, step.operands[1], bits, by_lane, true);
  V b = operand(e, step.operands[2], bits, by_lane, true);
  V result = compared(e, step, a, b);
  const auto combined = [&](V one) -> V {
    if (step.operands.size() < 4) return one;
    V with = operand(e, step.operands[3], 1, by_lane);
    switch (step.variant->get(Slot::kBool)) {
      case Modifier::kAnd:
        return e.CreateAnd(one, with);
      case Modifier::kOr:
        return e.CreateOr(one, with);
      case Modifier::kXor:
        return e.CreateXor(one, with);
      default:
        return one;
    }
  };
  const std::span<const Operand> to = elements(e, step.operands[0]);
  if (to.size() == 1) return write(e, to[0], lane_value(combined(result)));
  V first = combined(result), second = combined(e.CreateNot(result));
  write(e, to[0], lane_value(first));
  write(e, to[1], lane_value(second));
}

}  // namespace warpledger::exec::jit
