// LLVM. mov, cvta and cvt.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"
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
void Emitter::emit_narrow(const Step& step) {
  const TypeInfo& to = step.variant->type[0];
  std::vector<V> in = operands(step, 32, true);
  for (V& value : in) value = to.format == numeric::kF16 ? to_half(value) : to_bfloat(value);
  if (in.size() == 1)
    return write_result(step, b_.CreateTrunc(in[0], like(in[0], b_.getInt16Ty())));
  write_result(step, b_.CreateOr(b_.CreateShl(in[0], 16), in[1]));
}

bool Emitter::emit_convert(const Step& step) {
  switch (step.spelling().op()) {
    case Op::kMov: {
      const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
      write(step.operands[0], read(step.operands[1], bits, has_lazy_result(step)));
      return true;
    }
    case Op::kCvta:
      emit_cvta(step);
      return true;
    case Op::kCvt:
      emit_cvt(step);
      return true;
    default:
      return false;
  }
}

// A generic address is the space's own, moved by where the window of that space begins.
void Emitter::emit_cvta(const Step& step) {
  LaneValue value = read(step.operands[1], 64);
  const uint64_t window = window_of(step.spelling().space());
  V shift = b_.getInt64(step.variant->has(Modifier::kTo) ? 0 - window : window);
  if (window != 0)
    value.scalar = value.scalar == nullptr ? shift : b_.CreateAdd(value.scalar, shift);
  write(step.operands[0], value);
}

void Emitter::emit_cvt(const Step& step) {
  if (is_narrowing(step)) return emit_narrow(step);
  const TypeInfo &to = step.variant->type[0], &from = step.variant->type[1];
  const auto from_bits = static_cast<unsigned>(from.bits), to_bits = static_cast<unsigned>(to.bits);
  if (!to.is_float && !from.is_float) {
    LaneValue value = read(step.operands[1], from_bits);
    if (to_bits < from_bits) {
      value = cut(value, to_bits);
    } else if (to_bits == 64 && from_bits == 32) {
      value = widen(value, from.is_signed);
    } else if (to_bits > from_bits) {
      value = extended(value, to_bits, from.is_signed);
    }
    return write(step.operands[0], value, to.is_signed);
  }
  V in = operands(step, from_bits, true)[0];
  if (!from.is_float) {
    llvm::Type* floats = float_like(in, to_bits);
    V value = from.is_signed ? b_.CreateSIToFP(in, floats) : b_.CreateUIToFP(in, floats);
    return write_result(step, b_.CreateBitCast(value, like(in, integer(to_bits))));
  }
  if (from_bits == 32 && step.variant->mode.ftz) in = flushed(in);
  V value = b_.CreateBitCast(in, float_like(in, from_bits));
  write_result(step, to.is_float ? float_to_float(step, value) : float_to_integer(step, value));
}

// What is out of range becomes the nearest integer, a NaN 0.
llvm::Value* Emitter::float_to_integer(const Step& step, V value) {
  const TypeInfo& to = step.variant->type[0];
  switch (step.variant->get(Slot::kRounding)) {
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
      break;  // .rzi: what the conversion itself does
  }
  const auto clamp = to.is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Type* integers = like(value, integer(static_cast<unsigned>(to.bits)));
  return b_.CreateIntrinsic(clamp, {integers, value->getType()}, {value});
}

llvm::Value* Emitter::float_to_float(const Step& step, V value) {
  const TypeInfo &to = step.variant->type[0], &from = step.variant->type[1];
  const auto bits = static_cast<unsigned>(to.bits);
  llvm::Type* floats = float_like(value, bits);
  V converted =
      to.bits > from.bits ? b_.CreateFPExt(value, floats) : b_.CreateFPTrunc(value, floats);
  V answer = b_.CreateBitCast(converted, like(value, integer(bits)));
  if (to.bits == 32 && step.variant->mode.ftz) answer = flushed(answer);
  V canonical = llvm::ConstantInt::get(answer->getType(), numeric::canonical_nan(to.format));
  return b_.CreateSelect(b_.CreateFCmpUNO(value, value), canonical, answer);
}

}  // namespace warpledger::exec::jit
