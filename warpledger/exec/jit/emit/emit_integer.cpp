// LLVM. Integer arithmetic. Sums, products by a uniform and shifts by one keep pairs apart.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

LaneValue sum(Emitter& e, LaneValue x, LaneValue y, bool subtracts) {
  const auto join = [&](V a, V b) -> V {
    if (b == nullptr) return a;
    if (a == nullptr) return subtracts ? e.CreateNeg(b) : b;
    return subtracts ? e.CreateSub(a, b) : e.CreateAdd(a, b);
  };
  return {join(x.scalar, y.scalar), join(x.vector, y.vector)};
}

// a * b of mul and mad; wide: of 32 bits in 64.
LaneValue product(Emitter& e, const Step& step, bool wide) {
  const unsigned bits = bits_of_type(step);
  const bool is_signed = step.variant->type[0].is_signed;
  const Operand *x = &step.operands[1], *y = &step.operands[2];
  if (is_uniform(e, *x)) std::swap(x, y);
  const auto factor_of = [&](V v) { return wide ? extended(e, v, 2 * bits, is_signed) : v; };
  if (!is_uniform(e, *y))
    return {nullptr, e.CreateMul(factor_of(vector(e, *x, bits)), factor_of(vector(e, *y, bits)))};
  V factor = factor_of(uniform(e, *y, bits));
  if (is_uniform(e, *x)) return {e.CreateMul(factor_of(uniform(e, *x, bits)), factor), nullptr};
  LaneValue value = read(e, *x, bits);
  if (wide && bits == 32) {
    value = widen(e, value, is_signed);
  } else if (wide) {
    value = extended(e, value, 2 * bits, is_signed);
  }
  return {value.scalar != nullptr ? e.CreateMul(value.scalar, factor) : nullptr,
          value.vector != nullptr ? e.CreateMul(value.vector, e.splat(factor)) : nullptr};
}

// An intrinsic of the operands, and of `more`.
void emit_intrinsic(Emitter& e, const Step& step, llvm::Intrinsic::ID id,
                    const std::vector<V>& more = {}) {
  std::vector<V> in = operands(e, step, bits_of_type(step));
  in.insert(in.end(), more.begin(), more.end());
  write_result(e, step, e.CreateIntrinsic(id, {in[0]->getType()}, in));
}

// Of 32 bits, in doubles: a non-integer quotient is farther from an integer than its rounding
// error.
V short_quotient(Emitter& e, V a, V b, bool is_signed) {
  llvm::Type* doubles = e.like(a, e.getDoubleTy());
  const auto real = [&](V x) {
    return is_signed ? e.CreateSIToFP(x, doubles) : e.CreateUIToFP(x, doubles);
  };
  V ratio = e.CreateFDiv(real(a), real(b));
  return e.CreateTrunc(e.CreateFPToSI(ratio, e.like(a, e.getInt64Ty())), a->getType());
}

// Of 64 bits. The host traps where -2^63 / -1 wraps.
V long_quotient(Emitter& e, V a, V b, bool is_signed) {
  if (!is_signed) return e.CreateUDiv(a, b);
  V turns = e.CreateICmpEQ(b, number(b, ~uint64_t{0}));
  V quotient = e.CreateSDiv(a, e.CreateSelect(turns, number(b, 1), b));
  return e.CreateSelect(turns, e.CreateNeg(a), quotient);
}

struct Division {
  std::vector<V> in;
  V zero = nullptr, divisor = nullptr, quotient = nullptr;  // of a divisor that is 0: by 1
};
Division divided(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  Division d{.in = operands(e, step, bits)};
  const bool is_signed = step.variant->type[0].is_signed;
  d.zero = e.CreateICmpEQ(d.in[1], number(d.in[1], 0));
  d.divisor = e.CreateSelect(d.zero, number(d.in[1], 1), d.in[1]);
  d.quotient = bits == 32 ? short_quotient(e, d.in[0], d.divisor, is_signed)
                          : long_quotient(e, d.in[0], d.divisor, is_signed);
  return d;
}

// Bits [first, first + bits) of 32.
V field(Emitter& e, V value, unsigned first, unsigned bits, bool is_signed) {
  V top = e.CreateShl(value, number(value, 32 - first - bits));
  V shift = number(value, 32 - bits);
  return is_signed ? e.CreateAShr(top, shift) : e.CreateLShr(top, shift);
}

}  // namespace

void emit_sum(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool subtracts = step.spelling().op() == Op::kSub;
  write(e, step.operands[0],
        sum(e, read(e, step.operands[1], bits), read(e, step.operands[2], bits), subtracts));
}

void emit_product(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool wide = step.variant->get(Slot::kHalf) == Modifier::kWide;
  LaneValue result = product(e, step, wide);
  if (step.spelling().op() == Op::kMad)
    result = sum(e, result, read(e, step.operands[3], wide ? 2 * bits : bits), false);
  write(e, step.operands[0], result);
}

// mul.hi and mad.hi of 32 and 64 bits.
void emit_upper_product(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool is_signed = step.variant->type[0].is_signed;
  const std::vector<V> in = operands(e, step, bits);
  const auto twice = [&](V value) {
    llvm::Type* wide = e.like(value, e.getIntNTy(2 * bits));
    return is_signed ? e.CreateSExt(value, wide) : e.CreateZExt(value, wide);
  };
  V whole = e.CreateMul(twice(in[0]), twice(in[1]));
  V upper = e.CreateTrunc(e.CreateLShr(whole, uint64_t{bits}), in[0]->getType());
  write_result(e, step, in.size() == 3 ? e.CreateAdd(upper, in[2]) : upper);
}

// Division by zero gives all ones, and the remainder the dividend.
void emit_quotient(Emitter& e, const Step& step) {
  const Division d = divided(e, step);
  write_result(e, step, e.CreateSelect(d.zero, number(d.in[0], ~uint64_t{0}), d.quotient));
}

void emit_remainder(Emitter& e, const Step& step) {
  const Division d = divided(e, step);
  V rest = e.CreateSub(d.in[0], e.CreateMul(d.quotient, d.divisor));
  write_result(e, step, e.CreateSelect(d.zero, d.in[0], rest));
}

// dp4a and dp2a: elements of a by bytes of b, and c.
void emit_dot(Emitter& e, const Step& step) {
  const Variant& v = *step.variant;
  const unsigned count = step.spelling().op() == Op::kDp4a ? 4 : 2, bits = 32 / count;
  const unsigned first = v.has(Modifier::kHi) ? 16 : 0;
  const std::vector<V> in = operands(e, step, 32);
  V sum = in[2];
  for (unsigned i = 0; i < count; ++i) {
    V a = field(e, in[0], i * bits, bits, v.type[0].is_signed);
    V b = field(e, in[1], first + 8 * i, 8, v.type[1].is_signed);
    sum = e.CreateAdd(sum, e.CreateMul(a, b));
  }
  write_result(e, step, sum);
}

void emit_min(Emitter& e, const Step& step) {
  const bool is_signed = step.variant->type[0].is_signed;
  emit_intrinsic(e, step, is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
}

void emit_max(Emitter& e, const Step& step) {
  const bool is_signed = step.variant->type[0].is_signed;
  emit_intrinsic(e, step, is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
}

void emit_abs(Emitter& e, const Step& step) {
  emit_intrinsic(e, step, llvm::Intrinsic::abs, {e.getFalse()});
}

void emit_neg(Emitter& e, const Step& step) {
  write_result(e, step, e.CreateNeg(operands(e, step, bits_of_type(step))[0]));
}

void emit_popc(Emitter& e, const Step& step) { emit_intrinsic(e, step, llvm::Intrinsic::ctpop); }

void emit_clz(Emitter& e, const Step& step) {
  emit_intrinsic(e, step, llvm::Intrinsic::ctlz, {e.getFalse()});
}

void emit_brev(Emitter& e, const Step& step) {
  emit_intrinsic(e, step, llvm::Intrinsic::bitreverse);
}

}  // namespace warpledger::exec::jit
