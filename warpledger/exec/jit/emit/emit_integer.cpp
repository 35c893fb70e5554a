// LLVM. Integer arithmetic and logic.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// s + V in 64 bits equals the widened 32-bit sum only where that sum does not wrap: guessed here
// from the smallest and largest lane, which LLVM moves out of loops. The general version adds
// first.
LaneValue Emitter::widen(LaneValue value, bool is_signed) {
  llvm::Type* i64 = b_.getInt64Ty();
  if (value.scalar == nullptr || value.vector == nullptr) return extended(value, 64, is_signed);
  V scalar = extended(value.scalar, 64, is_signed);
  V low = b_.CreateAdd(scalar, b_.CreateSExt(b_.CreateIntMinReduce(value.vector, true), i64));
  V high = b_.CreateAdd(scalar, b_.CreateSExt(b_.CreateIntMaxReduce(value.vector, true), i64));
  const int64_t least = is_signed ? INT32_MIN : 0;
  const int64_t most = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
  V fits = b_.CreateAnd(b_.CreateICmpSGE(low, llvm::ConstantInt::getSigned(i64, least)),
                        b_.CreateICmpSLE(high, llvm::ConstantInt::getSigned(i64, most)));
  V lanes = b_.CreateSExt(value.vector, lanes_of(i64));
  if (!fast_) {
    V added = extended(all(value, 32), 64, is_signed);
    return {b_.CreateSelect(fits, scalar, b_.getInt64(0)), b_.CreateSelect(fits, lanes, added)};
  }
  guess(fits);
  return {scalar, lanes};
}

// a * b of mul and mad; wide: of 32 bits in 64.
LaneValue Emitter::product(const Step& step, bool wide) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  const bool is_signed = step.variant->type[0].is_signed;
  const Operand *x = &step.operands[1], *y = &step.operands[2];
  if (is_uniform(*x)) std::swap(x, y);
  const auto factor_of = [&](V v) { return wide ? extended(v, 2 * bits, is_signed) : v; };
  if (!is_uniform(*y))
    return {nullptr, b_.CreateMul(factor_of(vector(*x, bits)), factor_of(vector(*y, bits)))};
  V factor = factor_of(uniform(*y, bits));
  if (is_uniform(*x)) return {b_.CreateMul(factor_of(uniform(*x, bits)), factor), nullptr};
  LaneValue value = read(*x, bits);
  if (wide && bits == 32) {
    value = widen(value, is_signed);
  } else if (wide) {
    value = extended(value, 2 * bits, is_signed);
  }
  return {value.scalar != nullptr ? b_.CreateMul(value.scalar, factor) : nullptr,
          value.vector != nullptr ? b_.CreateMul(value.vector, splat(factor)) : nullptr};
}

// shl by a uniform amount: both parts of a pair by it.
LaneValue Emitter::shifted_left(const Step& step) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  V by = uniform(step.operands[2], 32);
  V fits = b_.CreateICmpULT(by, b_.getInt32(bits));
  V amount = b_.CreateZExtOrTrunc(b_.CreateSelect(fits, by, b_.getInt32(0)), integer(bits));
  const LaneValue value = read(step.operands[1], bits);
  const auto part = [&](V v, bool is_vector) -> V {
    if (v == nullptr) return nullptr;
    V zero = llvm::Constant::getNullValue(v->getType());
    return b_.CreateSelect(fits, b_.CreateShl(v, is_vector ? splat(amount) : amount), zero);
  };
  return {part(value.scalar, false), part(value.vector, true)};
}

// Sums, products by a uniform and moves keep pairs apart.
bool Emitter::emit_affine(const Step& step) {
  const Variant& v = *step.variant;
  const Op op = step.spelling().op();
  if (v.type[0].is_float || v.type[1].is_float || v.type[0].is_predicate) return false;
  const auto bits = static_cast<unsigned>(v.type[0].bits);
  const auto join = [&](V a, V b, bool subtracts) -> V {
    if (b == nullptr) return a;
    if (a == nullptr) return subtracts ? b_.CreateNeg(b) : b;
    return subtracts ? b_.CreateSub(a, b) : b_.CreateAdd(a, b);
  };
  const auto sum = [&](LaneValue a, LaneValue b, bool subtracts) {
    return LaneValue{join(a.scalar, b.scalar, subtracts), join(a.vector, b.vector, subtracts)};
  };
  const bool high = v.get(Slot::kHalf) == Modifier::kHi,
             wide = v.get(Slot::kHalf) == Modifier::kWide;
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
      write(step.operands[0],
            sum(read(step.operands[1], bits), read(step.operands[2], bits), op == Op::kSub));
      return true;
    case Op::kMul:
    case Op::kMad: {
      if (high) return false;
      LaneValue result = product(step, wide);
      if (op == Op::kMad)
        result = sum(result, read(step.operands[3], wide ? 2 * bits : bits), false);
      write(step.operands[0], result);
      return true;
    }
    case Op::kShl:
      if (!is_uniform(step.operands[2])) return false;
      write(step.operands[0], shifted_left(step));
      return true;
    default:
      return false;
  }
}

// mul.hi and mad.hi of 32 bits.
llvm::Value* Emitter::upper_product(const Step& step) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  const bool is_signed = step.variant->type[0].is_signed;
  const std::vector<V> in = operands(step, bits);
  const auto twice = [&](V value) { return extended(value, 2 * bits, is_signed); };
  V whole = b_.CreateMul(twice(in[0]), twice(in[1]));
  V upper = b_.CreateTrunc(b_.CreateLShr(whole, uint64_t{bits}), in[0]->getType());
  return in.size() == 3 ? b_.CreateAdd(upper, in[2]) : upper;
}

bool Emitter::emit_integer(const Step& step) {
  const Variant& v = *step.variant;
  if (v.type[0].is_float || v.type[0].is_predicate) return false;
  const auto bits = static_cast<unsigned>(v.type[0].bits);
  const bool is_signed = v.type[0].is_signed;
  const auto unary = [&](llvm::Intrinsic::ID id, std::vector<V> more = {}) {
    std::vector<V> in = operands(step, bits);
    in.insert(in.end(), more.begin(), more.end());
    write_result(step, b_.CreateIntrinsic(id, {in[0]->getType()}, in));
    return true;
  };
  switch (step.spelling().op()) {
    case Op::kMul:
    case Op::kMad:
      write_result(step, upper_product(step));
      return true;
    case Op::kMin:
      return unary(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
    case Op::kMax:
      return unary(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
    case Op::kAbs:
      return unary(llvm::Intrinsic::abs, {b_.getFalse()});
    case Op::kNeg:
      write_result(step, b_.CreateNeg(operands(step, bits)[0]));
      return true;
    case Op::kPopc:
      return unary(llvm::Intrinsic::ctpop);
    case Op::kClz:
      return unary(llvm::Intrinsic::ctlz, {b_.getFalse()});
    case Op::kBrev:
      return unary(llvm::Intrinsic::bitreverse);
    default:
      return false;
  }
}

// PTX clamps the amount at the width; LLVM's shift would be poison there.
llvm::Value* Emitter::shifted(const Step& step) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  const bool by_lane = differs_by_lane(step), left = step.spelling().op() == Op::kShl;
  const bool arithmetic = !left && step.variant->type[0].is_signed;
  V value = operand(step.operands[1], bits, by_lane);
  V by = operand(step.operands[2], 32, by_lane);
  V fits = b_.CreateICmpULT(by, llvm::ConstantInt::get(by->getType(), bits));
  V most = llvm::ConstantInt::get(by->getType(), bits - 1);
  V amount = b_.CreateZExtOrTrunc(b_.CreateSelect(fits, by, most), value->getType());
  if (arithmetic) return b_.CreateAShr(value, amount);
  V shifted = left ? b_.CreateShl(value, amount) : b_.CreateLShr(value, amount);
  return b_.CreateSelect(fits, shifted, llvm::Constant::getNullValue(value->getType()));
}

// lop3: the sum of the minterms that the table has.
llvm::Value* Emitter::looked_up(const Step& step) {
  const std::vector<V> in = operands(step, static_cast<unsigned>(step.variant->type[0].bits));
  V result = llvm::Constant::getNullValue(in[0]->getType());
  for (unsigned term = 0; term < 8; ++term) {
    if ((step.operands[4].value >> term & 1) == 0) continue;
    const auto factor = [&](V x, unsigned bit) {
      return (term >> bit & 1) != 0 ? x : b_.CreateNot(x);
    };
    result = b_.CreateOr(
        result, b_.CreateAnd(b_.CreateAnd(factor(in[0], 2), factor(in[1], 1)), factor(in[2], 0)));
  }
  return result;
}

bool Emitter::emit_logic(const Step& step) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  const auto combine = [&](llvm::Instruction::BinaryOps with) {
    const std::vector<V> in = operands(step, bits);
    write_result(step, b_.CreateBinOp(with, in[0], in[1]));
    return true;
  };
  switch (step.spelling().op()) {
    case Op::kShl:
    case Op::kShr:
      write_result(step, shifted(step));
      return true;
    case Op::kNot:
      write_result(step, b_.CreateNot(operands(step, bits)[0]));
      return true;
    case Op::kAnd:
      return combine(llvm::Instruction::And);
    case Op::kOr:
      return combine(llvm::Instruction::Or);
    case Op::kXor:
      return combine(llvm::Instruction::Xor);
    case Op::kLop3:
      write_result(step, looked_up(step));
      return true;
    default:
      return false;
  }
}

}  // namespace warpledger::exec::jit
