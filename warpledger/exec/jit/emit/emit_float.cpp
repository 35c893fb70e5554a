// LLVM. f32 and f64 arithmetic to nearest. NaN rules: numeric/arithmetic.h.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;

std::vector<V> flushed_operands(Emitter& e, const Step& step, bool keep_nan) {
  std::vector<V> in = operands(e, step, bits_of_type(step), keep_nan);
  if (step.variant->mode.ftz && bits_of_type(step) == 32) {
    for (V& value : in) value = flushed(e, value);
  }
  return in;
}

// f64: the first NaN operand, made quiet; else what an invalid operation answers.
V first_nan(Emitter& e, const std::vector<V>& in, const std::vector<V>& x) {
  V nan = number(in[0], numeric::canonical_nan(numeric::kF64));
  for (size_t i = in.size(); i-- > 0;) {
    V quiet = e.CreateOr(in[i], number(in[i], uint64_t{1} << 51));
    nan = e.CreateSelect(e.CreateFCmpUNO(x[i], x[i]), quiet, nan);
  }
  return nan;
}

// `calculate` makes the result of the operands, all of them floats.
template <class Calculate>
void emit_calculated(Emitter& e, const Step& step, Calculate calculate) {
  const unsigned bits = bits_of_type(step);
  const std::vector<V> in = flushed_operands(e, step, true);
  std::vector<V> x;
  for (V value : in) x.push_back(e.CreateBitCast(value, e.float_like(value, bits)));
  V result = calculate(x);
  V answer = e.CreateBitCast(result, in[0]->getType());
  if (bits == 64) {
    answer = e.CreateSelect(e.CreateFCmpUNO(result, result), first_nan(e, in, x), answer);
    return write_result(e, step, answer);
  }
  if (step.variant->mode.ftz) answer = flushed(e, answer);
  const bool lazy = is_lazy_f32(step) && has_lazy_result(e, step);
  write_result(e, step, lazy ? answer : tidy_nan(e, answer));
}

// A NaN gives the other operand (.NaN: the canonical NaN), -0 is less than +0.
V extreme(Emitter& e, const Step& step, V a, V b, bool is_min) {
  llvm::Type* floats = e.float_like(a, bits_of_type(step));
  V x = e.CreateBitCast(a, floats), y = e.CreateBitCast(b, floats);
  V canonical = number(a, numeric::canonical_nan(step.variant->type[0].format));
  V nan_x = e.CreateFCmpUNO(x, x), nan_y = e.CreateFCmpUNO(y, y);
  V less = is_min ? e.CreateFCmpOLT(x, y) : e.CreateFCmpOGT(x, y);
  V equal = e.CreateFCmpOEQ(x, y);
  V tie = is_min ? e.CreateOr(a, b) : e.CreateAnd(a, b);  // of zeros: the sign; else both are alike
  V result = e.CreateSelect(equal, tie, e.CreateSelect(less, a, b));
  if (step.variant->has(Modifier::kNaN))
    return e.CreateSelect(e.CreateOr(nan_x, nan_y), canonical, result);
  result = e.CreateSelect(nan_y, a, e.CreateSelect(nan_x, b, result));
  return e.CreateSelect(e.CreateAnd(nan_x, nan_y), canonical, result);
}

// Of two operands, or of three: that of the first two and the third.
void emit_extreme(Emitter& e, const Step& step, bool is_min) {
  const std::vector<V> in = flushed_operands(e, step, true);
  V result = extreme(e, step, in[0], in[1], is_min);
  if (in.size() == 3) result = extreme(e, step, result, in[2], is_min);
  write_result(e, step, result);
}

V sign_of_type(const Step& step, V bits) {
  return number(bits, step.variant->type[0].format.sign_bit());
}

}  // namespace

void emit_float_add(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) { return e.CreateFAdd(x[0], x[1]); });
}

void emit_float_sub(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) { return e.CreateFSub(x[0], x[1]); });
}

void emit_float_mul(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) { return e.CreateFMul(x[0], x[1]); });
}

void emit_float_div(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) { return e.CreateFDiv(x[0], x[1]); });
}

void emit_float_rcp(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) {
    return e.CreateFDiv(llvm::ConstantFP::get(x[0]->getType(), 1.0), x[0]);
  });
}

void emit_float_sqrt(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) {
    return e.CreateIntrinsic(llvm::Intrinsic::sqrt, {x[0]->getType()}, {x[0]});
  });
}

void emit_float_fma(Emitter& e, const Step& step) {
  emit_calculated(e, step, [&](const std::vector<V>& x) {
    return e.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, {x[0], x[1], x[2]});
  });
}

void emit_float_min(Emitter& e, const Step& step) { emit_extreme(e, step, true); }
void emit_float_max(Emitter& e, const Step& step) { emit_extreme(e, step, false); }

void emit_float_abs(Emitter& e, const Step& step) {
  V bits = flushed_operands(e, step, false)[0];
  write_result(e, step, e.CreateAnd(bits, e.CreateNot(sign_of_type(step, bits))));
}

void emit_float_neg(Emitter& e, const Step& step) {
  V bits = flushed_operands(e, step, false)[0];
  write_result(e, step, e.CreateXor(bits, sign_of_type(step, bits)));
}

}  // namespace warpledger::exec::jit
