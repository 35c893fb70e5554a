// LLVM. Bit fields, bytes, funnel shifts.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;

// Positions and lengths, from operand `first` on, are bytes.
std::vector<V> field_operands(Emitter& e, const Step& step, size_t first) {
  std::vector<V> in = operands(e, step, bits_of_type(step));
  for (size_t i = first; i < in.size(); ++i) in[i] = e.CreateAnd(in[i], number(in[i], 0xff));
  return in;
}

// 2^length - 1, all ones from the width on.
V ones(Emitter& e, V length, unsigned bits) {
  V fits = e.CreateICmpULT(length, number(length, bits));
  V amount = e.CreateSelect(fits, length, number(length, 0));
  V mask = e.CreateSub(e.CreateShl(number(length, 1), amount), number(length, 1));
  return e.CreateSelect(fits, mask, number(length, ~uint64_t{0}));
}

// bfe: the field, above it zeros or its highest bit; of a field past the top, the top bit.
V extracted(Emitter& e, const Step& step, const std::vector<V>& in) {
  const unsigned bits = bits_of_type(step);
  V top = number(in[0], bits - 1), at = in[1], length = in[2];
  V inside = e.CreateICmpULE(at, top);
  V shift = e.CreateSelect(inside, at, top);
  if (!step.variant->type[0].is_signed) {
    V field = e.CreateAnd(e.CreateLShr(in[0], shift), ones(e, length, bits));
    return e.CreateSelect(inside, field, number(in[0], 0));
  }
  V rest = e.CreateSub(number(in[0], bits), shift);  // bits from there to the top
  V whole = e.CreateICmpUGE(length, rest);
  V unused = e.CreateSelect(whole, number(in[0], 0), e.CreateSub(rest, length));
  V above = e.CreateSelect(whole, shift, e.CreateSub(number(in[0], bits), length));
  V none = e.CreateICmpEQ(length, number(in[0], 0));
  above = e.CreateSelect(none, number(in[0], 0), above);
  V field = e.CreateAShr(e.CreateShl(in[0], unused), above);
  return e.CreateSelect(none, number(in[0], 0), field);
}

}  // namespace

void emit_bfe(Emitter& e, const Step& step) {
  write_result(e, step, extracted(e, step, field_operands(e, step, 1)));
}

// The low bits of a over those of b.
void emit_bfi(Emitter& e, const Step& step) {
  const std::vector<V> in = field_operands(e, step, 2);
  const unsigned bits = bits_of_type(step);
  V inside = e.CreateICmpULT(in[2], number(in[2], bits));
  V shift = e.CreateSelect(inside, in[2], number(in[2], 0));
  V field = e.CreateShl(ones(e, in[3], bits), shift);
  V both = e.CreateOr(e.CreateAnd(in[1], e.CreateNot(field)),
                      e.CreateAnd(e.CreateShl(in[0], shift), field));
  write_result(e, step, e.CreateSelect(inside, both, in[1]));
}

// With a constant selector.
void emit_prmt(Emitter& e, const Step& step) {
  const std::vector<V> in = operands(e, step, bits_of_type(step));
  const uint64_t selector = step.operands[3].value;
  V result = number(in[0], 0);
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t pick = selector >> (4 * i) & 15, byte = pick & 3;
    V from = in[(pick & 4) != 0 ? 1 : 0];
    V at_top = e.CreateShl(from, number(from, 24 - 8 * byte));
    if ((pick & 8) != 0) at_top = e.CreateAShr(at_top, number(from, 31));
    V alone = e.CreateAnd(at_top, number(from, 0xff000000));
    result = e.CreateOr(result, e.CreateLShr(alone, number(from, 24 - 8 * i)));
  }
  write_result(e, step, result);
}

void emit_shf(Emitter& e, const Step& step) {
  const std::vector<V> in = operands(e, step, bits_of_type(step));
  const bool left = step.variant->has(Modifier::kL);
  const auto id = left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr;
  V shifted = e.CreateIntrinsic(id, {in[0]->getType()}, {in[1], in[0], in[2]});
  if (!step.variant->has(Modifier::kClamp)) return write_result(e, step, shifted);
  V beyond = e.CreateICmpUGE(in[2], number(in[2], 32));
  write_result(e, step, e.CreateSelect(beyond, left ? in[0] : in[1], shifted));
}

}  // namespace warpledger::exec::jit
