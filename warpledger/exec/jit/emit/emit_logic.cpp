// LLVM. Logic and shifts.
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

void emit_binary(Emitter& e, const Step& step, llvm::Instruction::BinaryOps with) {
  const std::vector<V> in = operands(e, step, bits_of_type(step));
  write_result(e, step, e.CreateBinOp(with, in[0], in[1]));
}

// PTX clamps the amount at the width; LLVM's shift would be poison there.
struct Shift {
  V value = nullptr, amount = nullptr;
  V fits = nullptr;  // the amount is less than the width; else it is the width less 1
};
Shift clamped_shift(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const bool by_lane = differs_by_lane(e, step);
  V value = operand(e, step.operands[1], bits, by_lane);
  V by = operand(e, step.operands[2], 32, by_lane);
  V fits = e.CreateICmpULT(by, number(by, bits));
  V amount = e.CreateZExtOrTrunc(e.CreateSelect(fits, by, number(by, bits - 1)), value->getType());
  return {value, amount, fits};
}

// By a uniform amount: both parts of a pair by it.
LaneValue shifted_left(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  V by = uniform(e, step.operands[2], 32);
  V fits = e.CreateICmpULT(by, e.getInt32(bits));
  V amount = e.CreateZExtOrTrunc(e.CreateSelect(fits, by, e.getInt32(0)), e.integer(bits));
  const LaneValue value = read(e, step.operands[1], bits);
  const auto part = [&](V v, bool is_vector) -> V {
    if (v == nullptr) return nullptr;
    V zero = llvm::Constant::getNullValue(v->getType());
    return e.CreateSelect(fits, e.CreateShl(v, is_vector ? e.splat(amount) : amount), zero);
  };
  return {part(value.scalar, false), part(value.vector, true)};
}

}  // namespace

void emit_and(Emitter& e, const Step& step) { emit_binary(e, step, llvm::Instruction::And); }
void emit_or(Emitter& e, const Step& step) { emit_binary(e, step, llvm::Instruction::Or); }
void emit_xor(Emitter& e, const Step& step) { emit_binary(e, step, llvm::Instruction::Xor); }

void emit_not(Emitter& e, const Step& step) {
  write_result(e, step, e.CreateNot(operands(e, step, bits_of_type(step))[0]));
}

// The sum of the minterms that the table has.
void emit_lop3(Emitter& e, const Step& step) {
  const std::vector<V> in = operands(e, step, bits_of_type(step));
  V result = llvm::Constant::getNullValue(in[0]->getType());
  for (unsigned term = 0; term < 8; ++term) {
    if ((step.operands[4].value >> term & 1) == 0) continue;
    const auto factor = [&](V x, unsigned bit) {
      return (term >> bit & 1) != 0 ? x : e.CreateNot(x);
    };
    result = e.CreateOr(
        result, e.CreateAnd(e.CreateAnd(factor(in[0], 2), factor(in[1], 1)), factor(in[2], 0)));
  }
  write_result(e, step, result);
}

void emit_shl(Emitter& e, const Step& step) {
  if (is_uniform(e, step.operands[2])) return write(e, step.operands[0], shifted_left(e, step));
  const Shift shift = clamped_shift(e, step);
  V shifted = e.CreateShl(shift.value, shift.amount);
  write_result(e, step, e.CreateSelect(shift.fits, shifted, number(shift.value, 0)));
}

void emit_shr(Emitter& e, const Step& step) {
  const Shift shift = clamped_shift(e, step);
  if (step.variant->type[0].is_signed)
    return write_result(e, step, e.CreateAShr(shift.value, shift.amount));
  V shifted = e.CreateLShr(shift.value, shift.amount);
  write_result(e, step, e.CreateSelect(shift.fits, shifted, number(shift.value, 0)));
}

}  // namespace warpledger::exec::jit
