// LLVM. Operands and results: scalars, vectors, pairs of both.
#include "warpledger/exec/jit/emit/emit_value.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {
namespace {

using ptx::SpecialRegister;
using reference::Value;

LaneValue read_special(Emitter &e, const Operand &operand) {
  const size_t axis = operand.component;
  llvm::Type *i32 = e.getInt32Ty();
  switch (static_cast<SpecialRegister>(operand.slot)) {
    case SpecialRegister::kNtid:
      return {e.getInt32(e.analysis.block[axis]), nullptr};
    case SpecialRegister::kCtaid:
      return {context_field(e, i32, offsetof(WarpContext, ctaid) + 4 * axis), nullptr};
    case SpecialRegister::kNctaid:
      return {context_field(e, i32, offsetof(WarpContext, nctaid) + 4 * axis), nullptr};
    case SpecialRegister::kWarpid:
      return {context_field(e, i32, offsetof(WarpContext, warpid)), nullptr};
    case SpecialRegister::kLaneid:
      return {nullptr, lane_numbers(e)};
    default:
      break;
  }
  const size_t tid = offsetof(WarpContext, tid) + sizeof(uint32_t[32]) * axis;
  V first = context_field(e, i32, tid);  // of lane 0
  const TidShape shape = tid_shape(e.analysis.block);
  if (shape == TidShape::kWholeRows) return {first, axis == 0 ? lane_numbers(e) : nullptr};
  if (shape == TidShape::kOther) return {nullptr, context_field(e, e.lanes_of(i32), tid)};
  if (axis == 2) return {first, nullptr};
  std::vector<llvm::Constant *> steps;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t row = e.analysis.block[0];
    steps.push_back(e.getInt32(axis == 0 ? lane % row : lane / row));
  }
  V lanes = llvm::ConstantVector::get(steps);
  return axis == 0 ? LaneValue{nullptr, lanes} : LaneValue{first, lanes};
}

}  // namespace

llvm::Constant *lane_numbers(Emitter &e) {
  std::vector<llvm::Constant *> numbers;
  for (uint32_t lane = 0; lane < 32; ++lane) numbers.push_back(e.getInt32(lane));
  return llvm::ConstantVector::get(numbers);
}

V in_first_lane(Emitter &e, V values, V lanes) {
  V first = e.CreateIntrinsic(llvm::Intrinsic::cttz, {e.getInt32Ty()}, {lanes, e.getFalse()});
  return e.CreateExtractElement(values, e.CreateAnd(first, e.getInt32(31)));
}

bool is_uniform(const Emitter &e, const Operand &operand) {
  return e.analysis.holding_of(operand) == Holding::kUniform;
}

std::span<const Operand> elements(const Emitter &e, const Operand &operand) {
  if (operand.kind != Value::Kind::kList) return {&operand, 1};
  return {e.code.values.data() + operand.slot, operand.count};
}

// A canonical NaN for every NaN: f32 arithmetic answers 0x7fffffff
// (numeric/arithmetic.h).
V tidy_nan(Emitter &e, V bits32) {
  llvm::Type *type = bits32->getType();
  V value = e.CreateBitCast(bits32, e.float_like(bits32, 32));
  return e.CreateSelect(e.CreateFCmpUNO(value, value), llvm::ConstantInt::get(type, 0x7fffffff),
                        bits32);
}

V rest_of_sum(Emitter &e, V a, V b, V sum) {
  V other = e.CreateFSub(sum, a);
  return e.CreateFAdd(e.CreateFSub(a, e.CreateFSub(sum, other)), e.CreateFSub(b, other));
}

V flushed(Emitter &e, V bits32) {
  llvm::Type *type = bits32->getType();
  V exponent = e.CreateAnd(bits32, llvm::ConstantInt::get(type, 0x7f800000));
  V zero = e.CreateAnd(bits32, llvm::ConstantInt::get(type, 0x80000000));
  return e.CreateSelect(e.CreateICmpEQ(exponent, llvm::Constant::getNullValue(type)), zero, bits32);
}

V rank_bits(Emitter &e, unsigned bits) {
  V rank = context_field(e, e.getInt32Ty(), offsetof(WarpContext, rank_bits));
  return bits == 32 ? rank : e.CreateZExt(rank, e.integer(bits));
}

LaneValue read_slot(Emitter &e, uint32_t slot) {
  llvm::Type *type = e.integer(e.analysis.bits[slot]);
  LaneValue value;
  if (e.analysis.holding[slot] != Holding::kVector)
    value.scalar = e.CreateLoad(type, e.variables.scalar[slot]);
  if (e.analysis.holding[slot] != Holding::kUniform)
    value.vector = e.CreateLoad(e.lanes_of(type), e.variables.vector[slot]);
  return value;
}

LaneValue cut(Emitter &e, LaneValue value, unsigned bits) {
  const auto one = [&](V v, bool is_vector) -> V {
    if (v == nullptr) return nullptr;
    llvm::Type *to = e.integer(bits);
    return e.CreateTrunc(v, is_vector ? e.lanes_of(to) : to);
  };
  return {one(value.scalar, false), one(value.vector, true)};
}

V extended(Emitter &e, V value, unsigned bits, bool is_signed) {
  llvm::Type *to = e.like(value, e.integer(bits));
  return is_signed ? e.CreateSExt(value, to) : e.CreateZExt(value, to);
}

LaneValue extended(Emitter &e, LaneValue value, unsigned bits, bool is_signed) {
  if (value.vector == nullptr) return {extended(e, value.scalar, bits, is_signed), nullptr};
  return {nullptr, extended(e, all(e, value, bits), bits, is_signed)};
}

// s + V in 64 bits equals the widened 32-bit sum only where that sum does not
// wrap: guessed here from the smallest and largest lane, which LLVM moves out
// of loops. The general version adds first.
LaneValue widen(Emitter &e, LaneValue value, bool is_signed) {
  llvm::Type *i64 = e.getInt64Ty();
  if (value.scalar == nullptr || value.vector == nullptr) return extended(e, value, 64, is_signed);
  V scalar = extended(e, value.scalar, 64, is_signed);
  V low = e.CreateAdd(scalar, e.CreateSExt(e.CreateIntMinReduce(value.vector, true), i64));
  V high = e.CreateAdd(scalar, e.CreateSExt(e.CreateIntMaxReduce(value.vector, true), i64));
  const int64_t least = is_signed ? INT32_MIN : 0;
  const int64_t most = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
  V fits = e.CreateAnd(e.CreateICmpSGE(low, llvm::ConstantInt::getSigned(i64, least)),
                       e.CreateICmpSLE(high, llvm::ConstantInt::getSigned(i64, most)));
  V lanes = e.CreateSExt(value.vector, e.lanes_of(i64));
  if (!e.fast) {
    V added = extended(e, all(e, value, 32), 64, is_signed);
    return {e.CreateSelect(fits, scalar, e.getInt64(0)), e.CreateSelect(fits, lanes, added)};
  }
  e.guess(fits);
  return {scalar, lanes};
}

LaneValue read(Emitter &e, const Operand &operand, unsigned bits, bool keep_nan) {
  LaneValue value;
  switch (operand.kind) {
    case Value::Kind::kRegister: {
      value = read_slot(e, operand.slot);
      const unsigned held = e.analysis.bits[operand.slot];
      if (!keep_nan && e.analysis.lazy_nan[operand.slot]) {
        if (value.scalar != nullptr) value.scalar = tidy_nan(e, value.scalar);
        if (value.vector != nullptr) value.vector = tidy_nan(e, value.vector);
      }
      if (operand.negated) {
        V &part = value.vector != nullptr ? value.vector : value.scalar;
        part = e.CreateNot(part);
      }
      if (held > bits) return cut(e, value, bits);
      if (held == bits) return value;
      return {nullptr, e.CreateZExt(all(e, value, held), e.lanes_of(e.integer(bits)))};
    }
    case Value::Kind::kSpecial: {
      value = read_special(e, operand);
      if (bits < 32) return cut(e, value, bits);
      return bits == 32 ? value : extended(e, value, bits, false);
    }
    default: {
      V constant = llvm::ConstantInt::get(e.integer(bits), operand.value);
      const bool places = e.analysis.clustered && operand.kind == Value::Kind::kImmediate &&
                          operand.space == ptx::Space::kShared && bits >= 32;
      return {places ? e.CreateAdd(constant, rank_bits(e, bits)) : constant, nullptr};
    }
  }
}

V uniform(Emitter &e, const Operand &operand, unsigned bits, bool keep_nan) {
  const LaneValue value = read(e, operand, bits, keep_nan);
  if (value.scalar != nullptr && value.vector == nullptr) return value.scalar;
  // A uniform register that had to be extended: any lane will do.
  return e.CreateExtractElement(value.vector, uint64_t{0});
}

V all(Emitter &e, LaneValue value, unsigned bits) {
  if (value.scalar == nullptr && value.vector == nullptr) {
    return llvm::Constant::getNullValue(e.lanes_of(e.integer(bits)));
  }
  if (value.scalar == nullptr) return value.vector;
  if (value.vector == nullptr) return e.splat(value.scalar);
  return e.CreateAdd(e.splat(value.scalar), value.vector);
}

V vector(Emitter &e, const Operand &operand, unsigned bits, bool keep_nan) {
  return all(e, read(e, operand, bits, keep_nan), bits);
}

V operand(Emitter &e, const Operand &from, unsigned bits, bool by_lane, bool keep_nan) {
  return by_lane ? vector(e, from, bits, keep_nan) : uniform(e, from, bits, keep_nan);
}

bool differs_by_lane(const Emitter &e, const Step &step) {
  return !std::ranges::all_of(step.operands.subspan(1),
                              [&](const Operand &operand) { return is_uniform(e, operand); });
}

std::vector<V> operands(Emitter &e, const Step &step, unsigned bits, bool keep_nan) {
  const bool by_lane = differs_by_lane(e, step);
  std::vector<V> values;
  for (const Operand &one : step.operands.subspan(1))
    values.push_back(operand(e, one, bits, by_lane, keep_nan));
  return values;
}

bool has_lazy_result(const Emitter &e, const Step &step) {
  const Operand &to = step.operands[0];
  return to.kind == Value::Kind::kRegister && e.analysis.lazy_nan[to.slot];
}

void write(Emitter &e, const Operand &operand, LaneValue value, bool is_signed) {
  if (operand.kind != Value::Kind::kRegister) return;  // a sink
  const unsigned held = e.analysis.bits[operand.slot];
  V any = value.vector != nullptr ? value.vector : value.scalar;
  const unsigned bits = any->getType()->getScalarSizeInBits();
  if (bits > held) value = cut(e, value, held);
  if (bits < held) value = extended(e, value, held, is_signed);
  write_slot(e, operand.slot, value);
}

void write_result(Emitter &e, const Step &step, V value) {
  write(e, step.operands[0], lane_value(value));
}

void write_slot(Emitter &e, uint32_t slot, LaneValue value) {
  const unsigned bits = e.analysis.bits[slot];
  const Holding holding = e.analysis.holding[slot];
  if (holding == Holding::kVector || (e.guard != nullptr && e.guard->getType()->isVectorTy())) {
    V now = all(e, value, bits);
    const bool merges = e.analysis.merges[slot];
    if (e.guard != nullptr || merges) {
      V takes = merges ? e.as_bits(e.lanes()) : e.guard;
      now = e.CreateSelect(takes, now, all(e, read_slot(e, slot), bits));
    }
    value = {nullptr, now};
  } else if (e.guard != nullptr) {
    const LaneValue old = read_slot(e, slot);
    llvm::Type *type = e.integer(bits);
    const auto part = [&](V now, V before, llvm::Type *t) -> V {
      if (now == nullptr && before == nullptr) return nullptr;
      V zero = llvm::Constant::getNullValue(t);
      return e.CreateSelect(e.guard, now != nullptr ? now : zero,
                            before != nullptr ? before : zero);
    };
    value = {part(value.scalar, old.scalar, type),
             part(value.vector, old.vector, e.lanes_of(type))};
  }
  llvm::Type *type = e.integer(bits);
  const auto or_zero = [](V v, llvm::Type *t) {
    return v != nullptr ? v : llvm::Constant::getNullValue(t);
  };
  if (holding != Holding::kVector)
    e.CreateStore(or_zero(value.scalar, type), e.variables.scalar[slot]);
  if (holding != Holding::kUniform)
    e.CreateStore(or_zero(value.vector, e.lanes_of(type)), e.variables.vector[slot]);
}

}  // namespace warpledger::exec::jit
