// LLVM. f32 arithmetic that rounds down, up or towards zero, and conversions that round to
// integers, clamp, or come from 16 bits.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_sixteen.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// high + low, exactly, rounded to f32. Rounded to nearest first; where that went the wrong way, the
// next one. `zero_bits`: those of an exact zero.
V rounded(Emitter& e, V high, V low, V zero_bits, Rounding rounding) {
  llvm::Type *doubles = high->getType(), *ints = zero_bits->getType();
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(ints, value); };
  V nearest = e.CreateFPTrunc(high, e.like(high, e.getFloatTy()));
  V back = e.CreateFPExt(nearest, doubles), none = llvm::ConstantFP::get(doubles, 0);
  V same = e.CreateFCmpOEQ(back, high);
  V above = e.CreateOr(e.CreateFCmpOGT(back, high), e.CreateAnd(same, e.CreateFCmpOLT(low, none)));
  V below = e.CreateOr(e.CreateFCmpOLT(back, high), e.CreateAnd(same, e.CreateFCmpOGT(low, none)));
  V bits = e.CreateBitCast(nearest, ints);
  V negative = e.CreateICmpSLT(bits, number(0));
  V zero = e.CreateICmpEQ(e.CreateAnd(bits, number(0x7fffffff)), number(0));
  const auto step = [&](bool up) -> V {  // the next f32; from zero, the smallest of that sign
    V more = e.CreateAdd(bits, number(1)), less = e.CreateSub(bits, number(1));
    V next = up ? e.CreateSelect(negative, less, more) : e.CreateSelect(negative, more, less);
    return e.CreateSelect(zero, number(up ? 1 : 0x80000001), next);
  };
  V down = e.CreateSelect(above, step(false), bits), up = e.CreateSelect(below, step(true), bits);
  V result = down;
  if (rounding == Rounding::kUp) result = up;
  if (rounding == Rounding::kZero) result = e.CreateSelect(e.CreateFCmpOLT(high, none), up, down);
  V exactly_zero = e.CreateAnd(e.CreateFCmpOEQ(high, none), e.CreateFCmpOEQ(low, none));
  return e.CreateSelect(exactly_zero, zero_bits, result);
}

}  // namespace

// add, sub, mul, fma: the product is exact in doubles, and of the sum what a double drops is known.
void emit_directed(Emitter& e, const Step& step) {
  const Variant& v = *step.variant;
  const Op op = step.spelling().op();
  std::vector<V> in = operands(e, step, 32, true);
  if (v.mode.ftz) {
    for (V& value : in) value = flushed(e, value);
  }
  llvm::Type *ints = in[0]->getType(), *doubles = e.like(in[0], e.getDoubleTy());
  const auto real = [&](V bits) {
    return e.CreateFPExt(e.CreateBitCast(bits, e.like(in[0], e.getFloatTy())), doubles);
  };
  V none = llvm::ConstantFP::get(doubles, 0);
  V sign = llvm::ConstantInt::get(ints, 0x80000000);
  const bool adds = op == Op::kAdd || op == Op::kSub;
  V first = adds ? real(in[0]) : e.CreateFMul(real(in[0]), real(in[1]));
  V first_sign = adds ? in[0] : e.CreateXor(in[0], in[1]);
  V high = first, low = none, zero_bits = e.CreateAnd(first_sign, sign);
  if (op != Op::kMul) {
    V second_bits = adds ? in[1] : in[2];
    if (op == Op::kSub) second_bits = e.CreateXor(second_bits, sign);
    V second = real(second_bits);
    high = e.CreateFAdd(first, second);
    low = rest_of_sum(e, first, second, high);
    // A sum of zeros that differ is +0, rounding down -0.
    V either = v.mode.rounding == Rounding::kDown ? e.CreateOr(first_sign, second_bits)
                                                  : e.CreateAnd(first_sign, second_bits);
    zero_bits = e.CreateAnd(either, sign);
  }
  V finite = e.CreateFCmpOLT(e.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, high),
                             llvm::ConstantFP::getInfinity(doubles));
  V plain = e.CreateBitCast(e.CreateFPTrunc(high, e.like(in[0], e.getFloatTy())), ints);
  V answer =
      e.CreateSelect(finite, rounded(e, high, low, zero_bits, v.mode.rounding), tidy_nan(e, plain));
  if (v.mode.ftz) answer = flushed(e, answer);
  write_result(e, step, answer);
}

// cvt to f32 from f32 (rounded to an integer, clamped to [0, 1]), f16 or bf16.
void emit_to_f32(Emitter& e, const Step& step) {
  const Variant& v = *step.variant;
  const auto from_bits = static_cast<unsigned>(v.type[1].bits);
  V in = operands(e, step, from_bits)[0];
  if (from_bits == 16) {
    in = from_sixteen(e, e.CreateZExt(in, e.like(in, e.getInt32Ty())), v.type[1].format);
  }
  if (v.mode.ftz && from_bits == 32) in = flushed(e, in);
  llvm::Type *ints = in->getType(), *floats = e.like(in, e.getFloatTy());
  const auto round = [&](llvm::Intrinsic::ID id) {
    in = e.CreateBitCast(e.CreateUnaryIntrinsic(id, e.CreateBitCast(in, floats)), ints);
  };
  const Modifier rounding = v.get(Slot::kRounding);
  if (rounding == Modifier::kRni) round(llvm::Intrinsic::roundeven);
  if (rounding == Modifier::kRzi) round(llvm::Intrinsic::trunc);
  if (rounding == Modifier::kRmi) round(llvm::Intrinsic::floor);
  if (rounding == Modifier::kRpi) round(llvm::Intrinsic::ceil);
  in = tidy_nan(e, in);
  if (v.mode.sat) {  // positive bits are in order; NaNs, and what is negative, become 0
    V one = llvm::ConstantInt::get(ints, 0x3f800000), zero = llvm::Constant::getNullValue(ints);
    V most = e.CreateSelect(e.CreateICmpUGT(in, one), one, in);
    V nan = e.CreateICmpEQ(in, llvm::ConstantInt::get(ints, 0x7fffffff));
    in = e.CreateSelect(e.CreateOr(nan, e.CreateICmpSLT(in, zero)), zero, most);
  }
  write_result(e, step, in);
}

}  // namespace warpledger::exec::jit
