// LLVM. f32 and f64 arithmetic to nearest. NaN rules: numeric/arithmetic.h.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/jit/lowering.h"

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
  llvm::Type* floats = like(a, type.bits == 32 ? b_.getFloatTy() : b_.getDoubleTy());
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

bool Emitter::emit_float(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo& type = v.type[0];
  const Op op = step.spelling().op();
  if (!type.is_float || op == Op::kMov || op == Op::kSelp || op == Op::kSetp || op == Op::kCvt)
    return false;
  const auto bits = static_cast<unsigned>(type.bits);
  const bool keeps_sign_only = op == Op::kAbs || op == Op::kNeg;
  std::vector<V> in = operands(step, bits, !keeps_sign_only);
  if (v.mode.ftz && bits == 32) {
    for (V& value : in) value = flushed(value);
  }
  if (keeps_sign_only) {
    V sign = llvm::ConstantInt::get(in[0]->getType(), type.format.sign_bit());
    write_result(
        step, op == Op::kNeg ? b_.CreateXor(in[0], sign) : b_.CreateAnd(in[0], b_.CreateNot(sign)));
    return true;
  }
  if (op == Op::kMin || op == Op::kMax) {
    write_result(step, choose_extreme(step, in[0], in[1]));
    return true;
  }
  llvm::Type* floats = like(in[0], bits == 32 ? b_.getFloatTy() : b_.getDoubleTy());
  std::vector<V> x;
  for (V value : in) x.push_back(b_.CreateBitCast(value, floats));
  V result = nullptr;
  switch (op) {
    case Op::kAdd:
      result = b_.CreateFAdd(x[0], x[1]);
      break;
    case Op::kSub:
      result = b_.CreateFSub(x[0], x[1]);
      break;
    case Op::kMul:
      result = b_.CreateFMul(x[0], x[1]);
      break;
    case Op::kDiv:
      result = b_.CreateFDiv(x[0], x[1]);
      break;
    case Op::kRcp:
      result = b_.CreateFDiv(llvm::ConstantFP::get(floats, 1.0), x[0]);
      break;
    case Op::kSqrt:
      result = b_.CreateIntrinsic(llvm::Intrinsic::sqrt, {floats}, {x[0]});
      break;
    case Op::kFma:
    case Op::kMad:
      result = b_.CreateIntrinsic(llvm::Intrinsic::fma, {floats}, {x[0], x[1], x[2]});
      break;
    default:
      return false;
  }
  V answer = b_.CreateBitCast(result, in[0]->getType());
  if (v.mode.ftz && bits == 32) answer = flushed(answer);
  const bool lazy = is_lazy_f32(step) &&
                    step.operands[0].kind == reference::Value::Kind::kRegister &&
                    analysis_.lazy_nan[step.operands[0].slot];
  if (bits == 32 && !lazy) answer = tidy_nan(answer);
  if (bits == 64) {  // the first NaN operand, made quiet; else what an invalid operation answers
    llvm::Type* ints = in[0]->getType();
    V nan = llvm::ConstantInt::get(ints, numeric::canonical_nan(numeric::kF64));
    for (size_t i = in.size(); i-- > 0;) {
      V quiet = b_.CreateOr(in[i], llvm::ConstantInt::get(ints, uint64_t{1} << 51));
      nan = b_.CreateSelect(b_.CreateFCmpUNO(x[i], x[i]), quiet, nan);
    }
    answer = b_.CreateSelect(b_.CreateFCmpUNO(result, result), nan, answer);
  }
  write_result(step, answer);
  return true;
}

}  // namespace warpledger::exec::jit
