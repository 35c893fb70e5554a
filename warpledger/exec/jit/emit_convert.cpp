// LLVM. mov, cvta and cvt.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

bool Emitter::emit_convert(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  const Operand& result = step.operands[0];
  if (step.spelling().op() == Op::kMov) {
    const bool keeps = analysis_.lazy_nan[result.slot];
    write(result, read(step.operands[1], static_cast<unsigned>(to.bits), keeps));
    return true;
  }
  if (step.spelling().op() == Op::kCvta) {
    LaneValue value = read(step.operands[1], 64);
    const uint64_t window = window_of(step.spelling().space());
    V shift = b_.getInt64(v.has(Modifier::kTo) ? 0 - window : window);
    if (window != 0)
      value.scalar = value.scalar == nullptr ? shift : b_.CreateAdd(value.scalar, shift);
    write(result, value);
    return true;
  }
  if (step.spelling().op() != Op::kCvt) return false;
  const auto from_bits = static_cast<unsigned>(from.bits), to_bits = static_cast<unsigned>(to.bits);
  if (!to.is_float && !from.is_float) {
    LaneValue value = read(step.operands[1], from_bits);
    if (to_bits < from_bits) {
      value = cut(value, to_bits);
    } else if (to_bits == 64 && from_bits == 32) {
      value = widen(value, from.is_signed);
    } else if (to_bits > from_bits) {
      V& part = value.vector != nullptr ? value.vector : value.scalar;
      if (value.vector != nullptr) value = {nullptr, all(value, from_bits)};
      part = from.is_signed ? b_.CreateSExt(part, like(part, integer(to_bits)))
                            : b_.CreateZExt(part, like(part, integer(to_bits)));
    }
    write(result, value, to.is_signed);
    return true;
  }
  V in = operands(step, from_bits, true)[0];
  const auto float_type = [&](unsigned bits) {
    return like(in, bits == 32 ? b_.getFloatTy() : b_.getDoubleTy());
  };
  const auto int_type = [&](unsigned bits) { return like(in, integer(bits)); };
  if (to.is_float && !from.is_float) {
    V value = from.is_signed ? b_.CreateSIToFP(in, float_type(to_bits))
                             : b_.CreateUIToFP(in, float_type(to_bits));
    write_result(step, b_.CreateBitCast(value, int_type(to_bits)));
    return true;
  }
  if (from_bits == 32 && v.mode.ftz) in = flushed(in);
  V value = b_.CreateBitCast(in, float_type(from_bits));
  if (!to.is_float) {
    switch (v.get(Slot::kRounding)) {
      case Modifier::kRni:
        value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
        break;
      case Modifier::kRmi:
        value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
        break;
      case Modifier::kRpi:
        value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
        break;
      default:
        break;
    }
    const auto clamp = to.is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    write_result(step, b_.CreateIntrinsic(clamp, {int_type(to_bits), value->getType()}, {value}));
    return true;
  }
  V converted = to_bits > from_bits ? b_.CreateFPExt(value, float_type(to_bits))
                                    : b_.CreateFPTrunc(value, float_type(to_bits));
  V bits = b_.CreateBitCast(converted, int_type(to_bits));
  if (to_bits == 32 && v.mode.ftz) bits = flushed(bits);
  V canonical = llvm::ConstantInt::get(bits->getType(), numeric::canonical_nan(to.format));
  write_result(step, b_.CreateSelect(b_.CreateFCmpUNO(value, value), canonical, bits));
  return true;
}

}  // namespace warpledger::exec::jit
