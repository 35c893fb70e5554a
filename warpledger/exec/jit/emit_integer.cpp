// LLVM. Integer arithmetic and logic.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

std::vector<llvm::Value*> Emitter::operands(const Step& step, unsigned bits, bool keep_nan) {
  bool all_uniform = true;
  for (size_t i = 1; i < step.operands.size(); ++i) all_uniform &= is_uniform(step.operands[i]);
  std::vector<V> values;
  for (size_t i = 1; i < step.operands.size(); ++i) {
    values.push_back(all_uniform ? uniform(step.operands[i], bits, keep_nan)
                                 : vector(step.operands[i], bits, keep_nan));
  }
  return values;
}

// s + V in 64 bits equals the widened 32-bit sum only where that sum does not wrap: guessed here
// from the smallest and largest lane, which LLVM moves out of loops. The general version adds
// first.
LaneValue Emitter::widen(LaneValue value, bool is_signed) {
  llvm::Type* i64 = b_.getInt64Ty();
  const auto extend = [&](V v, bool as_signed) -> V {
    if (v == nullptr) return nullptr;
    return as_signed ? b_.CreateSExt(v, like(v, i64)) : b_.CreateZExt(v, like(v, i64));
  };
  if (value.scalar == nullptr || value.vector == nullptr) {
    if (value.vector == nullptr) return {extend(value.scalar, is_signed), nullptr};
    return {nullptr, extend(value.vector, is_signed)};
  }
  V scalar = extend(value.scalar, is_signed);
  V low = b_.CreateAdd(scalar, b_.CreateSExt(b_.CreateIntMinReduce(value.vector, true), i64));
  V high = b_.CreateAdd(scalar, b_.CreateSExt(b_.CreateIntMaxReduce(value.vector, true), i64));
  const int64_t least = is_signed ? INT32_MIN : 0;
  const int64_t most = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
  V fits = b_.CreateAnd(b_.CreateICmpSGE(low, llvm::ConstantInt::getSigned(i64, least)),
                        b_.CreateICmpSLE(high, llvm::ConstantInt::getSigned(i64, most)));
  V lanes = b_.CreateSExt(value.vector, lanes_of(i64));
  if (!fast_) {
    V added = extend(all(value, 32), is_signed);
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
  const auto extended = [&](V v) -> V {
    if (!wide) return v;
    llvm::Type* to = like(v, integer(2 * bits));
    return is_signed ? b_.CreateSExt(v, to) : b_.CreateZExt(v, to);
  };
  if (!is_uniform(*y))
    return {nullptr, b_.CreateMul(extended(vector(*x, bits)), extended(vector(*y, bits)))};
  V factor = extended(uniform(*y, bits));
  if (is_uniform(*x)) return {b_.CreateMul(extended(uniform(*x, bits)), factor), nullptr};
  LaneValue value = read(*x, bits);
  if (wide && bits == 32) {
    value = widen(value, is_signed);
  } else if (wide) {
    value = {nullptr, extended(all(value, bits))};
  }
  return {value.scalar != nullptr ? b_.CreateMul(value.scalar, factor) : nullptr,
          value.vector != nullptr ? b_.CreateMul(value.vector, splat(factor)) : nullptr};
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
    case Op::kShl: {
      if (!is_uniform(step.operands[2])) return false;
      V by = uniform(step.operands[2], 32);
      V fits = b_.CreateICmpULT(by, b_.getInt32(bits));
      V amount = b_.CreateZExtOrTrunc(b_.CreateSelect(fits, by, b_.getInt32(0)), integer(bits));
      const LaneValue value = read(step.operands[1], bits);
      const auto shifted = [&](V part, bool is_vector) -> V {
        if (part == nullptr) return nullptr;
        V zero = llvm::Constant::getNullValue(part->getType());
        return b_.CreateSelect(fits, b_.CreateShl(part, is_vector ? splat(amount) : amount), zero);
      };
      write(step.operands[0], {shifted(value.scalar, false), shifted(value.vector, true)});
      return true;
    }
    default:
      return false;
  }
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
    case Op::kMad: {  // .hi of 32 bits
      const std::vector<V> in = operands(step, bits);
      llvm::Type* twice = like(in[0], integer(2 * bits));
      const auto extended = [&](V x) {
        return is_signed ? b_.CreateSExt(x, twice) : b_.CreateZExt(x, twice);
      };
      V upper = b_.CreateTrunc(
          b_.CreateLShr(b_.CreateMul(extended(in[0]), extended(in[1])), uint64_t{bits}),
          in[0]->getType());
      write_result(step, in.size() == 3 ? b_.CreateAdd(upper, in[2]) : upper);
      return true;
    }
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

bool Emitter::emit_logic(const Step& step) {
  const Variant& v = *step.variant;
  const auto bits = static_cast<unsigned>(v.type[0].bits);
  const auto shift = [&](bool left) {
    const bool all_uniform = is_uniform(step.operands[1]) && is_uniform(step.operands[2]);
    V value = all_uniform ? uniform(step.operands[1], bits) : vector(step.operands[1], bits);
    V by = all_uniform ? uniform(step.operands[2], 32) : vector(step.operands[2], 32);
    // PTX clamps the amount at the width; LLVM's shift would be poison there.
    const bool arithmetic = !left && v.type[0].is_signed;
    V fits = b_.CreateICmpULT(by, llvm::ConstantInt::get(by->getType(), bits));
    V most = llvm::ConstantInt::get(by->getType(), bits - 1);
    V amount = b_.CreateZExtOrTrunc(b_.CreateSelect(fits, by, most), value->getType());
    V shifted = left         ? b_.CreateShl(value, amount)
                : arithmetic ? b_.CreateAShr(value, amount)
                             : b_.CreateLShr(value, amount);
    V zero = llvm::Constant::getNullValue(value->getType());
    write_result(step, arithmetic ? shifted : b_.CreateSelect(fits, shifted, zero));
    return true;
  };
  switch (step.spelling().op()) {
    case Op::kShl:
      return shift(true);
    case Op::kShr:
      return shift(false);
    case Op::kNot:
      write_result(step, b_.CreateNot(operands(step, bits)[0]));
      return true;
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor: {
      const std::vector<V> in = operands(step, bits);
      const Op op = step.spelling().op();
      write_result(step, op == Op::kAnd  ? b_.CreateAnd(in[0], in[1])
                         : op == Op::kOr ? b_.CreateOr(in[0], in[1])
                                         : b_.CreateXor(in[0], in[1]));
      return true;
    }
    case Op::kLop3: {  // the sum of the minterms that the table has
      const std::vector<V> in = operands(step, bits);
      V result = llvm::Constant::getNullValue(in[0]->getType());
      for (unsigned term = 0; term < 8; ++term) {
        if ((step.operands[4].value >> term & 1) == 0) continue;
        const auto factor = [&](V x, unsigned bit) {
          return (term >> bit & 1) != 0 ? x : b_.CreateNot(x);
        };
        result = b_.CreateOr(result, b_.CreateAnd(b_.CreateAnd(factor(in[0], 2), factor(in[1], 1)),
                                                  factor(in[2], 0)));
      }
      write_result(step, result);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace warpledger::exec::jit
