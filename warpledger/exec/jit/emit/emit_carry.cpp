// LLVM. Sums that take or give a carry: a bit for each lane, in a variable of the kernel.
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;

struct Addends {
  V a = nullptr, b = nullptr;
};

// mad: of the product's lower or upper half.
Addends addends_of(Emitter& e, const Step& step) {
  const unsigned bits = bits_of_type(step);
  const auto in = [&](size_t i) { return vector(e, step.operands[i], bits); };
  if (step.operands.size() == 3) return {in(1), in(2)};
  if (!step.variant->has(Modifier::kHi)) return {e.CreateMul(in(1), in(2)), in(3)};
  const bool is_signed = step.variant->type[0].is_signed;
  V whole =
      e.CreateMul(extended(e, in(1), 2 * bits, is_signed), extended(e, in(2), 2 * bits, is_signed));
  V upper = e.CreateLShr(whole, number(whole, bits));
  return {e.CreateTrunc(upper, e.lanes_of(e.integer(bits))), in(3)};
}

bool takes_carry(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kAddc || op == Op::kSubc || op == Op::kMadc;
}

}  // namespace

void emit_carry(Emitter& e, const Step& step) {
  const Op op = step.spelling().op();
  const bool subtracts = op == Op::kSub || op == Op::kSubc;
  const Addends in = addends_of(e, step);
  V before = e.CreateLoad(e.getInt32Ty(), e.variables.carry);
  V first = subtracts ? e.CreateSub(in.a, in.b) : e.CreateAdd(in.a, in.b);
  V out = subtracts ? e.CreateICmpULT(in.a, in.b) : e.CreateICmpULT(first, in.a);
  V result = first;
  if (takes_carry(step)) {
    V carry = e.CreateZExt(e.as_bits(before), first->getType());
    result = subtracts ? e.CreateSub(first, carry) : e.CreateAdd(first, carry);
    V again = subtracts ? e.CreateICmpULT(first, carry) : e.CreateICmpULT(result, first);
    out = e.CreateOr(out, again);
  }
  if (step.variant->has(Modifier::kCc)) {
    V here = e.lanes();
    V after = e.CreateOr(e.CreateAnd(e.bits_of(out), here), e.CreateAnd(before, e.CreateNot(here)));
    e.CreateStore(after, e.variables.carry);
  }
  write(e, step.operands[0], {nullptr, result});
}

}  // namespace warpledger::exec::jit
