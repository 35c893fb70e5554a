// LLVM. cvt between integers, between floats, and from one to the other.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_sixteen.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Slot;

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
  for (V& value : in) value = to_sixteen(e, value, to.format);
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
