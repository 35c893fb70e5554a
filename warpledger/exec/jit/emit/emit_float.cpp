// LLVM. f32 and f64 arithmetic to nearest. NaN rules: numeric/arithmetic.h.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;

// A subnormal becomes a zero of its sign. `value` is bits of f32.
llvm::Value* Emitter::flushed(V value) {
  llvm::Type* type = value->getType();
  V exponent = b_.CreateAnd(value, llvm::ConstantInt::get(type, 0x7f800000));
  V zero = b_.CreateAnd(value, llvm::ConstantInt::get(type, 0x80000000));
  return b_.CreateSelect(b_.CreateICmpEQ(exponent, llvm::Constant::getNullValue(type)), zero,
                         value);
}

// min, max: a NaN gives the other operand (.NaN: the canonical NaN), -0 is less than +0.
llvm::Value* Emitter::choose_extreme(const Step& step, V a, V b) {
  const bool is_min = step.spelling().op() == Op::kMin;
  const TypeInfo& type = step.variant->type[0];
  llvm::Type* floats = float_like(a, static_cast<unsigned>(type.bits));
  V x = b_.CreateBitCast(a, floats), y = b_.CreateBitCast(b, floats);
  V canonical = llvm::ConstantInt::get(a->getType(), numeric::canonical_nan(type.format));
  V nan_x = b_.CreateFCmpUNO(x, x), nan_y = b_.CreateFCmpUNO(y, y);
  V less = is_min ? b_.CreateFCmpOLT(x, y) : b_.CreateFCmpOGT(x, y);
  V equal = b_.CreateFCmpOEQ(x, y);
  V tie =
      is_min ? b_.CreateOr(a, b) : b_.CreateAnd(a, b);  // of zeros: the sign; else both are alike
  V result = b_.CreateSelect(equal, tie, b_.CreateSelect(less, a, b));
  if (step.variant->has(Modifier::kNaN))
    return b_.CreateSelect(b_.CreateOr(nan_x, nan_y), canonical, result);
  result = b_.CreateSelect(nan_y, a, b_.CreateSelect(nan_x, b, result));
  return b_.CreateSelect(b_.CreateAnd(nan_x, nan_y), canonical, result);
}

// abs, neg.
llvm::Value* Emitter::with_sign(const Step& step, V bits) {
  V sign = llvm::ConstantInt::get(bits->getType(), step.variant->type[0].format.sign_bit());
  return step.spelling().op() == Op::kNeg ? b_.CreateXor(bits, sign)
                                          : b_.CreateAnd(bits, b_.CreateNot(sign));
}

llvm::Value* Emitter::calculated(Op op, const std::vector<V>& x) {
  llvm::Type* floats = x[0]->getType();
  switch (op) {
    case Op::kAdd:
      return b_.CreateFAdd(x[0], x[1]);
    case Op::kSub:
      return b_.CreateFSub(x[0], x[1]);
    case Op::kMul:
      return b_.CreateFMul(x[0], x[1]);
    case Op::kDiv:
      return b_.CreateFDiv(x[0], x[1]);
    case Op::kRcp:
      return b_.CreateFDiv(llvm::ConstantFP::get(floats, 1.0), x[0]);
    case Op::kSqrt:
      return b_.CreateIntrinsic(llvm::Intrinsic::sqrt, {floats}, {x[0]});
    case Op::kFma:
    case Op::kMad:
      return b_.CreateIntrinsic(llvm::Intrinsic::fma, {floats}, {x[0], x[1], x[2]});
    default:
      return nullptr;
  }
}

// f64: the first NaN operand, made quiet; else what an invalid operation answers.
llvm::Value* Emitter::first_nan(const std::vector<V>& in, const std::vector<V>& x) {
  llvm::Type* ints = in[0]->getType();
  V nan = llvm::ConstantInt::get(ints, numeric::canonical_nan(numeric::kF64));
  for (size_t i = in.size(); i-- > 0;) {
    V quiet = b_.CreateOr(in[i], llvm::ConstantInt::get(ints, uint64_t{1} << 51));
    nan = b_.CreateSelect(b_.CreateFCmpUNO(x[i], x[i]), quiet, nan);
  }
  return nan;
}

// Bits of operands to bits of the result; null for what is not calculated here.
llvm::Value* Emitter::computed(const Step& step, const std::vector<V>& in) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  std::vector<V> x;
  for (V value : in) x.push_back(b_.CreateBitCast(value, float_like(value, bits)));
  V result = calculated(step.spelling().op(), x);
  if (result == nullptr) return nullptr;
  V answer = b_.CreateBitCast(result, in[0]->getType());
  if (bits == 64)
    return b_.CreateSelect(b_.CreateFCmpUNO(result, result), first_nan(in, x), answer);
  if (step.variant->mode.ftz) answer = flushed(answer);
  return is_lazy_f32(step) && has_lazy_result(step) ? answer : tidy_nan(answer);
}

bool Emitter::emit_float(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  const Op op = step.spelling().op();
  if (!type.is_float || op == Op::kMov || op == Op::kSelp || op == Op::kSetp || op == Op::kCvt)
    return false;
  const bool changes_sign = op == Op::kAbs || op == Op::kNeg;
  std::vector<V> in = operands(step, static_cast<unsigned>(type.bits), !changes_sign);
  if (step.variant->mode.ftz && type.bits == 32) {
    for (V& value : in) value = flushed(value);
  }
  V answer = changes_sign                       ? with_sign(step, in[0])
             : op == Op::kMin || op == Op::kMax ? choose_extreme(step, in[0], in[1])
                                                : computed(step, in);
  if (answer != nullptr) write_result(step, answer);
  return answer != nullptr;
}

}  // namespace warpledger::exec::jit
