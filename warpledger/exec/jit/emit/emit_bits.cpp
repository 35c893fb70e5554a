// LLVM. Bit fields, bytes, funnel shifts, {a, b} into one register and back, 32-bit division.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using reference::Value;

namespace {

llvm::Value* number(llvm::Value* like, uint64_t value) {
  return llvm::ConstantInt::get(like->getType(), value);
}

}  // namespace

// 2^length - 1, all ones from the width on.
llvm::Value* Emitter::ones(V length, unsigned bits) {
  V fits = b_.CreateICmpULT(length, number(length, bits));
  V amount = b_.CreateSelect(fits, length, number(length, 0));
  V mask = b_.CreateSub(b_.CreateShl(number(length, 1), amount), number(length, 1));
  return b_.CreateSelect(fits, mask, number(length, ~uint64_t{0}));
}

// bfe: the field, above it zeros or its highest bit; of a field past the top, the top bit.
llvm::Value* Emitter::extracted(const Step& step, const std::vector<V>& in) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  V top = number(in[0], bits - 1), at = in[1], length = in[2];
  V inside = b_.CreateICmpULE(at, top);
  V shift = b_.CreateSelect(inside, at, top);
  if (!step.variant->type[0].is_signed) {
    V field = b_.CreateAnd(b_.CreateLShr(in[0], shift), ones(length, bits));
    return b_.CreateSelect(inside, field, number(in[0], 0));
  }
  V rest = b_.CreateSub(number(in[0], bits), shift);  // bits from there to the top
  V whole = b_.CreateICmpUGE(length, rest);
  V unused = b_.CreateSelect(whole, number(in[0], 0), b_.CreateSub(rest, length));
  V above = b_.CreateSelect(whole, shift, b_.CreateSub(number(in[0], bits), length));
  V none = b_.CreateICmpEQ(length, number(in[0], 0));
  above = b_.CreateSelect(none, number(in[0], 0), above);
  V field = b_.CreateAShr(b_.CreateShl(in[0], unused), above);
  return b_.CreateSelect(none, number(in[0], 0), field);
}

// bfi: the low bits of a over those of b.
llvm::Value* Emitter::inserted(const Step& step, const std::vector<V>& in) {
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  V inside = b_.CreateICmpULT(in[2], number(in[2], bits));
  V shift = b_.CreateSelect(inside, in[2], number(in[2], 0));
  V field = b_.CreateShl(ones(in[3], bits), shift);
  V both = b_.CreateOr(b_.CreateAnd(in[1], b_.CreateNot(field)),
                       b_.CreateAnd(b_.CreateShl(in[0], shift), field));
  return b_.CreateSelect(inside, both, in[1]);
}

// prmt with a constant selector.
llvm::Value* Emitter::permuted(const Step& step, const std::vector<V>& in) {
  const uint64_t selector = step.operands[3].value;
  V result = number(in[0], 0);
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t pick = selector >> (4 * i) & 15, byte = pick & 3;
    V from = in[(pick & 4) != 0 ? 1 : 0];
    V at_top = b_.CreateShl(from, number(from, 24 - 8 * byte));
    if ((pick & 8) != 0) at_top = b_.CreateAShr(at_top, number(from, 31));
    V alone = b_.CreateAnd(at_top, number(from, 0xff000000));
    result = b_.CreateOr(result, b_.CreateLShr(alone, number(from, 24 - 8 * i)));
  }
  return result;
}

llvm::Value* Emitter::funnelled(const Step& step, const std::vector<V>& in) {
  const bool left = step.variant->has(Modifier::kL);
  const auto id = left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr;
  V shifted = b_.CreateIntrinsic(id, {in[0]->getType()}, {in[1], in[0], in[2]});
  if (!step.variant->has(Modifier::kClamp)) return shifted;
  V beyond = b_.CreateICmpUGE(in[2], number(in[2], 32));
  return b_.CreateSelect(beyond, left ? in[0] : in[1], shifted);
}

bool Emitter::emit_bits(const Step& step) {
  if (!is_lowered_bits(step)) return false;
  const Op op = step.spelling().op();
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  std::vector<V> in = operands(step, bits);
  if (op == Op::kBfe || op == Op::kBfi) {  // positions and lengths are bytes
    for (size_t i = op == Op::kBfe ? 1 : 2; i < in.size(); ++i)
      in[i] = b_.CreateAnd(in[i], number(in[i], 0xff));
  }
  write_result(step, op == Op::kBfe    ? extracted(step, in)
                     : op == Op::kBfi  ? inserted(step, in)
                     : op == Op::kPrmt ? permuted(step, in)
                                       : funnelled(step, in));
  return true;
}

// In doubles: a quotient that is no integer is farther from one than a double of it is off.
// Division by zero gives all ones, and the remainder the dividend.
bool Emitter::emit_division(const Step& step) {
  if (!is_lowered_division(step)) return false;
  const bool is_signed = step.variant->type[0].is_signed;
  const std::vector<V> in = operands(step, 32);
  llvm::Type *ints = in[0]->getType(), *doubles = like(in[0], b_.getDoubleTy());
  V zero = b_.CreateICmpEQ(in[1], number(in[1], 0));
  V divisor = b_.CreateSelect(zero, number(in[1], 1), in[1]);
  const auto real = [&](V x) {
    return is_signed ? b_.CreateSIToFP(x, doubles) : b_.CreateUIToFP(x, doubles);
  };
  V ratio = b_.CreateFDiv(real(in[0]), real(divisor));
  V quotient = b_.CreateTrunc(b_.CreateFPToSI(ratio, like(in[0], b_.getInt64Ty())), ints);
  if (step.spelling().op() == Op::kDiv) {
    write_result(step, b_.CreateSelect(zero, number(in[0], ~uint64_t{0}), quotient));
    return true;
  }
  V rest = b_.CreateSub(in[0], b_.CreateMul(quotient, divisor));
  write_result(step, b_.CreateSelect(zero, in[0], rest));
  return true;
}

// mov of {a, b, ..}, lowest first.
bool Emitter::emit_pack(const Step& step) {
  if (!is_lowered_pack(step)) return false;
  const Operand &to = step.operands[0], &from = step.operands[1];
  const auto bits = static_cast<unsigned>(step.variant->type[0].bits);
  llvm::Type* whole = lanes_of(integer(bits));
  V all = nullptr;
  if (from.kind == Value::Kind::kList) {
    const std::span<const Operand> parts = elements(from);
    const auto width = bits / static_cast<unsigned>(parts.size());
    all = llvm::Constant::getNullValue(whole);
    for (size_t i = 0; i < parts.size(); ++i) {
      V part = b_.CreateZExt(vector(parts[i], width), whole);
      all = b_.CreateOr(all, b_.CreateShl(part, i * width));
    }
  } else {
    all = vector(from, bits);
  }
  if (to.kind != Value::Kind::kList) {
    write_vector(to, all);
    return true;
  }
  const std::span<const Operand> parts = elements(to);
  const auto width = bits / static_cast<unsigned>(parts.size());
  std::vector<V> values;
  for (size_t i = 0; i < parts.size(); ++i)
    values.push_back(b_.CreateTrunc(b_.CreateLShr(all, i * width), lanes_of(integer(width))));
  for (size_t i = 0; i < parts.size(); ++i) write_vector(parts[i], values[i]);
  return true;
}

}  // namespace warpledger::exec::jit
