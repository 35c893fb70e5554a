// LLVM. f32 arithmetic that rounds down, up or towards zero, and conversions that round to
// integers, clamp, or come from 16 bits.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// high + low, exactly, rounded to f32. Rounded to nearest first; where that went the wrong way, the
// next one. `zero_bits`: those of an exact zero.
llvm::Value* Emitter::rounded(V high, V low, V zero_bits, Rounding rounding) {
  llvm::Type *doubles = high->getType(), *ints = zero_bits->getType();
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(ints, value); };
  V nearest = b_.CreateFPTrunc(high, like(high, b_.getFloatTy()));
  V back = b_.CreateFPExt(nearest, doubles), none = llvm::ConstantFP::get(doubles, 0);
  V same = b_.CreateFCmpOEQ(back, high);
  V above =
      b_.CreateOr(b_.CreateFCmpOGT(back, high), b_.CreateAnd(same, b_.CreateFCmpOLT(low, none)));
  V below =
      b_.CreateOr(b_.CreateFCmpOLT(back, high), b_.CreateAnd(same, b_.CreateFCmpOGT(low, none)));
  V bits = b_.CreateBitCast(nearest, ints);
  V negative = b_.CreateICmpSLT(bits, number(0));
  V zero = b_.CreateICmpEQ(b_.CreateAnd(bits, number(0x7fffffff)), number(0));
  const auto step = [&](bool up) -> V {  // the next f32; from zero, the smallest of that sign
    V more = b_.CreateAdd(bits, number(1)), less = b_.CreateSub(bits, number(1));
    V next = up ? b_.CreateSelect(negative, less, more) : b_.CreateSelect(negative, more, less);
    return b_.CreateSelect(zero, number(up ? 1 : 0x80000001), next);
  };
  V down = b_.CreateSelect(above, step(false), bits), up = b_.CreateSelect(below, step(true), bits);
  V result = down;
  if (rounding == Rounding::kUp) result = up;
  if (rounding == Rounding::kZero) result = b_.CreateSelect(b_.CreateFCmpOLT(high, none), up, down);
  V exactly_zero = b_.CreateAnd(b_.CreateFCmpOEQ(high, none), b_.CreateFCmpOEQ(low, none));
  return b_.CreateSelect(exactly_zero, zero_bits, result);
}

// add, sub, mul, fma: the product is exact in doubles, and of the sum what a double drops is known.
bool Emitter::emit_directed(const Step& step) {
  if (!is_lowered_directed(step)) return false;
  const Variant& v = *step.variant;
  const Op op = step.spelling().op();
  std::vector<V> in = operands(step, 32, true);
  if (v.mode.ftz) {
    for (V& value : in) value = flushed(value);
  }
  llvm::Type *ints = in[0]->getType(), *doubles = like(in[0], b_.getDoubleTy());
  const auto real = [&](V bits) {
    return b_.CreateFPExt(b_.CreateBitCast(bits, like(in[0], b_.getFloatTy())), doubles);
  };
  V none = llvm::ConstantFP::get(doubles, 0);
  V sign = llvm::ConstantInt::get(ints, 0x80000000);
  const bool adds = op == Op::kAdd || op == Op::kSub;
  V first = adds ? real(in[0]) : b_.CreateFMul(real(in[0]), real(in[1]));
  V first_sign = adds ? in[0] : b_.CreateXor(in[0], in[1]);
  V high = first, low = none, zero_bits = b_.CreateAnd(first_sign, sign);
  if (op != Op::kMul) {
    V second_bits = adds ? in[1] : in[2];
    if (op == Op::kSub) second_bits = b_.CreateXor(second_bits, sign);
    V second = real(second_bits);
    high = b_.CreateFAdd(first, second);
    V other = b_.CreateFSub(high, first);  // Knuth's two-sum
    low = b_.CreateFAdd(b_.CreateFSub(first, b_.CreateFSub(high, other)),
                        b_.CreateFSub(second, other));
    // A sum of zeros that differ is +0, rounding down -0.
    V either = v.mode.rounding == Rounding::kDown ? b_.CreateOr(first_sign, second_bits)
                                                  : b_.CreateAnd(first_sign, second_bits);
    zero_bits = b_.CreateAnd(either, sign);
  }
  V finite = b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, high),
                              llvm::ConstantFP::getInfinity(doubles));
  V plain = b_.CreateBitCast(b_.CreateFPTrunc(high, like(in[0], b_.getFloatTy())), ints);
  V answer =
      b_.CreateSelect(finite, rounded(high, low, zero_bits, v.mode.rounding), tidy_nan(plain));
  if (v.mode.ftz) answer = flushed(answer);
  write_result(step, answer);
  return true;
}

// f16 or bf16 bits (in 32) as bits of f32.
llvm::Value* Emitter::from_sixteen(V bits, const numeric::Format& format) {
  llvm::Type *ints = bits->getType(), *floats = like(bits, b_.getFloatTy());
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(ints, value); };
  if (format == numeric::kBf16) return tidy_nan(b_.CreateShl(bits, number(16)));
  V magnitude = b_.CreateAnd(bits, number(0x7fff));
  // Subnormals too: the shifted bits are an f32 that is 2^112 times too small.
  V shifted = b_.CreateBitCast(b_.CreateShl(magnitude, number(13)), floats);
  V value = b_.CreateBitCast(b_.CreateFMul(shifted, llvm::ConstantFP::get(floats, 0x1p112)), ints);
  V infinite = b_.CreateICmpEQ(magnitude, number(0x7c00));
  value = b_.CreateSelect(infinite, number(0x7f800000), value);
  value = b_.CreateOr(value, b_.CreateShl(b_.CreateAnd(bits, number(0x8000)), number(16)));
  return b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7c00)), number(0x7fffffff), value);
}

// cvt to f32 from f32 (rounded to an integer, clamped to [0, 1]), f16 or bf16.
bool Emitter::emit_to_float(const Step& step) {
  if (!is_lowered_to_float(step)) return false;
  const Variant& v = *step.variant;
  const auto from_bits = static_cast<unsigned>(v.type[1].bits);
  V in = operands(step, from_bits)[0];
  if (from_bits == 16) {
    in = from_sixteen(b_.CreateZExt(in, like(in, b_.getInt32Ty())), v.type[1].format);
  }
  if (v.mode.ftz && from_bits == 32) in = flushed(in);
  llvm::Type *ints = in->getType(), *floats = like(in, b_.getFloatTy());
  const auto round = [&](llvm::Intrinsic::ID id) {
    in = b_.CreateBitCast(b_.CreateUnaryIntrinsic(id, b_.CreateBitCast(in, floats)), ints);
  };
  const Modifier rounding = v.get(Slot::kRounding);
  if (rounding == Modifier::kRni) round(llvm::Intrinsic::roundeven);
  if (rounding == Modifier::kRzi) round(llvm::Intrinsic::trunc);
  if (rounding == Modifier::kRmi) round(llvm::Intrinsic::floor);
  if (rounding == Modifier::kRpi) round(llvm::Intrinsic::ceil);
  in = tidy_nan(in);
  if (v.mode.sat) {  // positive bits are in order; NaNs, and what is negative, become 0
    V one = llvm::ConstantInt::get(ints, 0x3f800000), zero = llvm::Constant::getNullValue(ints);
    V most = b_.CreateSelect(b_.CreateICmpUGT(in, one), one, in);
    V nan = b_.CreateICmpEQ(in, llvm::ConstantInt::get(ints, 0x7fffffff));
    in = b_.CreateSelect(b_.CreateOr(nan, b_.CreateICmpSLT(in, zero)), zero, most);
  }
  write_result(step, in);
  return true;
}

}  // namespace warpledger::exec::jit
