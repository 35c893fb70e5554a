// LLVM. cvt between integers, between floats, and from one to the other.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Slot;

// To nearest even, in integers: the same on hosts with and without half precision. `bits32` of f32;
// the result is in the low half.
V to_half(Emitter& e, V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V sign = e.CreateAnd(e.CreateLShr(bits32, number(16)), number(0x8000));
  V magnitude = e.CreateAnd(bits32, number(0x7fffffff));
  // Below 2^-14 the sum with 0.5 rounds where a subnormal half does.
  llvm::Type* floats = e.like(bits32, e.getFloatTy());
  V sum = e.CreateFAdd(e.CreateBitCast(magnitude, floats), llvm::ConstantFP::get(floats, 0.5));
  V small = e.CreateSub(e.CreateBitCast(sum, type), number(0x3f000000));
  V odd = e.CreateAnd(e.CreateLShr(magnitude, number(13)), number(1));
  V rounded = e.CreateAdd(e.CreateSub(magnitude, number(0x38000000 - 0xfff)), odd);
  V half = e.CreateSelect(e.CreateICmpULT(magnitude, number(0x38800000)), small,
                          e.CreateLShr(rounded, number(13)));
  half = e.CreateSelect(e.CreateICmpUGE(magnitude, number(0x477ff000)), number(0x7c00), half);
  return e.CreateSelect(e.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff),
                        e.CreateOr(half, sign));
}

V to_bfloat(Emitter& e, V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V odd = e.CreateAnd(e.CreateLShr(bits32, number(16)), number(1));
  V rounded = e.CreateLShr(e.CreateAdd(e.CreateAdd(bits32, number(0x7fff)), odd), number(16));
  V magnitude = e.CreateAnd(bits32, number(0x7fffffff));
  return e.CreateSelect(e.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff), rounded);
}

// The operand as a float, subnormals flushed where .ftz says so.
V real_operand(Emitter& e, const Step& step) {
  const auto bits = static_cast<unsigned>(step.variant->type[1].bits);
  V in = operands(e, step, bits, true)[0];
  if (bits == 32 && step.variant->mode.ftz) in = flushed(e, in);
  return e.CreateBitCast(in, e.float_like(in, bits));
}

}  // namespace

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
void emit_narrow(Emitter& e, const Step& step) {
  const TypeInfo& to = step.variant->type[0];
  std::vector<V> in = operands(e, step, 32, true);
  for (V& value : in) value = to.format == numeric::kF16 ? to_half(e, value) : to_bfloat(e, value);
  if (in.size() == 1)
    return write_result(e, step, e.CreateTrunc(in[0], e.like(in[0], e.getInt16Ty())));
  write_result(e, step, e.CreateOr(e.CreateShl(in[0], 16), in[1]));
}

void emit_integer_to_integer(Emitter& e, const Step& step) {
  const TypeInfo &to = step.variant->type[0], &from = step.variant->type[1];
  const auto from_bits = static_cast<unsigned>(from.bits), to_bits = static_cast<unsigned>(to.bits);
  LaneValue value = read(e, step.operands[1], from_bits);
  if (to_bits < from_bits) {
    value = cut(e, value, to_bits);
  } else if (to_bits == 64 && from_bits == 32) {
    value = widen(e, value, from.is_signed);
  } else if (to_bits > from_bits) {
    value = extended(e, value, to_bits, from.is_signed);
  }
  write(e, step.operands[0], value, to.is_signed);
}

void emit_integer_to_float(Emitter& e, const Step& step) {
  const TypeInfo& from = step.variant->type[1];
  const unsigned to_bits = bits_of_type(step);
  V in = operands(e, step, static_cast<unsigned>(from.bits), true)[0];
  llvm::Type* floats = e.float_like(in, to_bits);
  V value = from.is_signed ? e.CreateSIToFP(in, floats) : e.CreateUIToFP(in, floats);
  write_result(e, step, e.CreateBitCast(value, e.like(in, e.integer(to_bits))));
}

// What is out of range becomes the nearest integer, a NaN 0.
void emit_float_to_integer(Emitter& e, const Step& step) {
  const TypeInfo& to = step.variant->type[0];
  V value = real_operand(e, step);
  switch (step.variant->get(Slot::kRounding)) {
    case Modifier::kRni:
      value = e.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
      break;
    case Modifier::kRmi:
      value = e.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
      break;
    case Modifier::kRpi:
      value = e.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
      break;
    default:
      break;  // .rzi: what the conversion itself does
  }
  const auto clamp = to.is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Type* integers = e.like(value, e.integer(static_cast<unsigned>(to.bits)));
  write_result(e, step, e.CreateIntrinsic(clamp, {integers, value->getType()}, {value}));
}

void emit_float_to_float(Emitter& e, const Step& step) {
  const TypeInfo &to = step.variant->type[0], &from = step.variant->type[1];
  const unsigned bits = bits_of_type(step);
  V value = real_operand(e, step);
  llvm::Type* floats = e.float_like(value, bits);
  V converted = to.bits > from.bits ? e.CreateFPExt(value, floats) : e.CreateFPTrunc(value, floats);
  V answer = e.CreateBitCast(converted, e.like(value, e.integer(bits)));
  if (to.bits == 32 && step.variant->mode.ftz) answer = flushed(e, answer);
  V canonical = number(answer, numeric::canonical_nan(to.format));
  write_result(e, step, e.CreateSelect(e.CreateFCmpUNO(value, value), canonical, answer));
}

}  // namespace warpledger::exec::jit
