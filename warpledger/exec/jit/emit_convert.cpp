// LLVM. mov, cvta and cvt.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/jit/lowering.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// To nearest even, in integers: the same on hosts with and without half precision. `bits32` of f32;
// the result stands in the low half.
llvm::Value* Emitter::to_half(V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V sign = b_.CreateAnd(b_.CreateLShr(bits32, number(16)), number(0x8000));
  V magnitude = b_.CreateAnd(bits32, number(0x7fffffff));
  // Below 2^-14 the sum with 0.5 rounds where a subnormal half does.
  llvm::Type* floats = like(bits32, b_.getFloatTy());
  V sum = b_.CreateFAdd(b_.CreateBitCast(magnitude, floats), llvm::ConstantFP::get(floats, 0.5));
  V small = b_.CreateSub(b_.CreateBitCast(sum, type), number(0x3f000000));
  V odd = b_.CreateAnd(b_.CreateLShr(magnitude, number(13)), number(1));
  V rounded = b_.CreateAdd(b_.CreateSub(magnitude, number(0x38000000 - 0xfff)), odd);
  V half = b_.CreateSelect(b_.CreateICmpULT(magnitude, number(0x38800000)), small,
                           b_.CreateLShr(rounded, number(13)));
  half = b_.CreateSelect(b_.CreateICmpUGE(magnitude, number(0x477ff000)), number(0x7c00), half);
  return b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff),
                         b_.CreateOr(half, sign));
}

llvm::Value* Emitter::to_bfloat(V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V odd = b_.CreateAnd(b_.CreateLShr(bits32, number(16)), number(1));
  V rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(bits32, number(0x7fff)), odd), number(16));
  V magnitude = b_.CreateAnd(bits32, number(0x7fffffff));
  return b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff), rounded);
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
bool Emitter::emit_narrow(const Step& step) {
  const TypeInfo& to = step.variant->type[0];
  std::vector<V> in = operands(step, 32, true);
  for (V& value : in) value = to.format == numeric::kF16 ? to_half(value) : to_bfloat(value);
  if (in.size() == 1) {
    write_result(step, b_.CreateTrunc(in[0], like(in[0], b_.getInt16Ty())));
  } else {
    write_result(step, b_.CreateOr(b_.CreateShl(in[0], 16), in[1]));
  }
  return true;
}

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
  if (is_narrowing(step)) return emit_narrow(step);
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
