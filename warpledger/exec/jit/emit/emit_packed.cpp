// LLVM. Arithmetic to nearest of f16, bf16, and of two elements in one register (f16x2, bf16x2,
// f32x2), element by element.
//
// f16 and bf16 are calculated in doubles and rounded once more: a product is exact there, and so is
// every sum whose rounding could be a tie, but that of a bf16 product and an addend far below it.
// There, and on the way to f32, the sum is rounded to odd, after which any rounding to fewer bits
// is right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_sixteen.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;

V magnitude(Emitter& e, V real) { return e.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, real); }

/// `bits` of a float that is not exact: the last one is set, after a step towards zero where
/// rounding went away from it.
V made_odd(Emitter& e, V bits, V inexact, V away) {
  V cut = e.CreateSelect(away, e.CreateSub(bits, number(bits, 1)), bits);
  return e.CreateSelect(inexact, e.CreateOr(cut, number(bits, 1)), bits);
}

/// high + low, of which `high` is the nearest double.
V odd_double(Emitter& e, V high, V low) {
  V none = llvm::ConstantFP::get(high->getType(), 0);
  V inexact = e.CreateFCmpONE(low, none);
  V away = e.CreateXor(e.CreateFCmpOLT(low, none), e.CreateFCmpOLT(high, none));
  V bits = e.CreateBitCast(high, e.like(high, e.getInt64Ty()));
  return e.CreateBitCast(made_odd(e, bits, inexact, away), high->getType());
}

/// Bits of f32.
V odd_f32(Emitter& e, V real) {
  V nearest = e.CreateFPTrunc(real, e.like(real, e.getFloatTy()));
  V back = e.CreateFPExt(nearest, real->getType());
  V away = e.CreateFCmpOGT(magnitude(e, back), magnitude(e, real));
  return made_odd(e, e.CreateBitCast(nearest, e.like(real, e.getInt32Ty())),
                  e.CreateFCmpONE(back, real), away);
}

V calculate(Emitter& e, Op op, const std::vector<V>& x) {
  if (op == Op::kAdd) return e.CreateFAdd(x[0], x[1]);
  if (op == Op::kSub) return e.CreateFSub(x[0], x[1]);
  return e.CreateFMul(x[0], x[1]);
}

/// One element of 16 bits.
V sixteen(Emitter& e, const Step& step, const std::vector<V>& in) {
  const numeric::Format& format = step.variant->type[0].format;
  std::vector<V> x;
  for (V bits : in) {
    V single = e.CreateBitCast(from_sixteen(e, bits, format), e.like(bits, e.getFloatTy()));
    x.push_back(e.CreateFPExt(single, e.like(bits, e.getDoubleTy())));
  }
  V result = calculate(e, step.spelling().op(), x);
  if (x.size() == 3) {
    V product = result;
    result = e.CreateFAdd(product, x[2]);
    result = odd_double(e, result, rest_of_sum(e, product, x[2], result));
  }
  return to_sixteen(e, odd_f32(e, result), format);
}

/// One f32.
V single(Emitter& e, const Step& step, const std::vector<V>& in) {
  const bool ftz = step.variant->mode.ftz;
  std::vector<V> x;
  for (V bits : in)
    x.push_back(e.CreateBitCast(ftz ? flushed(e, bits) : bits, e.like(bits, e.getFloatTy())));
  V result = x.size() == 3 ? e.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, x)
                           : calculate(e, step.spelling().op(), x);
  V bits = e.CreateBitCast(result, in[0]->getType());
  return tidy_nan(e, ftz ? flushed(e, bits) : bits);
}

/// Element i of a register, in 32 bits.
V element(Emitter& e, V value, unsigned i, unsigned bits) {
  llvm::Type* words = e.like(value, e.getInt32Ty());
  V low = e.CreateZExtOrTrunc(e.CreateLShr(value, number(value, uint64_t{i} * bits)), words);
  return bits == 32 ? low : e.CreateAnd(low, number(low, 0xffff));
}

/// A bit of every element.
uint64_t in_each(const TypeInfo& type, uint64_t bit) {
  return type.count == 2 ? bit << type.element_bits | bit : bit;
}

}  // namespace

void emit_packed(Emitter& e, const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  const auto bits = static_cast<unsigned>(type.element_bits);
  const std::vector<V> in = operands(e, step, bits_of_type(step));
  V answer = nullptr;
  for (unsigned i = 0; i < static_cast<unsigned>(type.count); ++i) {
    std::vector<V> elements;
    for (V value : in) elements.push_back(element(e, value, i, bits));
    V one = bits == 32 ? single(e, step, elements) : sixteen(e, step, elements);
    one = e.CreateZExtOrTrunc(one, in[0]->getType());
    answer = i == 0 ? one : e.CreateOr(answer, e.CreateShl(one, number(one, uint64_t{i} * bits)));
  }
  write_result(e, step, answer);
}

void emit_packed_neg(Emitter& e, const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  V bits = operands(e, step, bits_of_type(step))[0];
  write_result(e, step, e.CreateXor(bits, number(bits, in_each(type, type.format.sign_bit()))));
}

void emit_packed_abs(Emitter& e, const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  V bits = operands(e, step, bits_of_type(step))[0];
  write_result(e, step, e.CreateAnd(bits, number(bits, in_each(type, type.format.sign_bit() - 1))));
}

}  // namespace warpledger::exec::jit
