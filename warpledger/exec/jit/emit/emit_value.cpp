// LLVM. Operands and results: scalars, vectors, pairs of both.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {

using ptx::SpecialRegister;
using reference::Value;

llvm::Value* Emitter::context_field(llvm::Type* type, size_t offset, bool invariant) {
  V at = place_in_context(offset);
  return invariant ? load_invariant(type, at, 4) : b_.CreateAlignedLoad(type, at, llvm::Align(4));
}

void Emitter::set_context_field(V value, size_t offset) {
  b_.CreateAlignedStore(value, place_in_context(offset), llvm::Align(4));
}

llvm::Value* Emitter::load_invariant(llvm::Type* type, V at, unsigned align) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, at, llvm::Align(align));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

llvm::Constant* Emitter::lane_numbers() {
  std::vector<llvm::Constant*> numbers;
  for (uint32_t lane = 0; lane < 32; ++lane) numbers.push_back(b_.getInt32(lane));
  return llvm::ConstantVector::get(numbers);
}

llvm::Value* Emitter::in_first_lane(V values, V lanes) {
  V first = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {lanes, b_.getFalse()});
  return b_.CreateExtractElement(values, b_.CreateAnd(first, b_.getInt32(31)));
}

// Elements of a list, or the operand itself.
std::span<const Value> Emitter::elements(const Operand& operand) const {
  if (operand.kind != Value::Kind::kList) return {&operand, 1};
  return {code_.values.data() + operand.slot, operand.count};
}

// A canonical NaN for every NaN: f32 arithmetic answers 0x7fffffff (numeric/arithmetic.h).
llvm::Value* Emitter::tidy_nan(V bits32) {
  llvm::Type* type = bits32->getType();
  V value = b_.CreateBitCast(bits32, float_like(bits32, 32));
  return b_.CreateSelect(b_.CreateFCmpUNO(value, value), llvm::ConstantInt::get(type, 0x7fffffff),
                         bits32);
}

LaneValue Emitter::read_slot(uint32_t slot) {
  llvm::Type* type = integer(analysis_.bits[slot]);
  LaneValue value;
  if (analysis_.holding[slot] != Holding::kVector)
    value.scalar = b_.CreateLoad(type, scalar_[slot]);
  if (analysis_.holding[slot] != Holding::kUniform)
    value.vector = b_.CreateLoad(lanes_of(type), vector_[slot]);
  return value;
}

LaneValue Emitter::cut(LaneValue value, unsigned bits) {
  const auto one = [&](V v, bool is_vector) -> V {
    if (v == nullptr) return nullptr;
    llvm::Type* to = integer(bits);
    return b_.CreateTrunc(v, is_vector ? lanes_of(to) : to);
  };
  return {one(value.scalar, false), one(value.vector, true)};
}

llvm::Value* Emitter::extended(V value, unsigned bits, bool is_signed) {
  llvm::Type* to = like(value, integer(bits));
  return is_signed ? b_.CreateSExt(value, to) : b_.CreateZExt(value, to);
}

LaneValue Emitter::extended(LaneValue value, unsigned bits, bool is_signed) {
  if (value.vector == nullptr) return {extended(value.scalar, bits, is_signed), nullptr};
  return {nullptr, extended(all(value, bits), bits, is_signed)};
}

LaneValue Emitter::read_special(const Operand& operand) {
  const size_t axis = operand.component;
  llvm::Type* i32 = b_.getInt32Ty();
  switch (static_cast<SpecialRegister>(operand.slot)) {
    case SpecialRegister::kNtid:
      return {b_.getInt32(analysis_.block[axis]), nullptr};
    case SpecialRegister::kCtaid:
      return {context_field(i32, offsetof(WarpContext, ctaid) + 4 * axis), nullptr};
    case SpecialRegister::kNctaid:
      return {context_field(i32, offsetof(WarpContext, nctaid) + 4 * axis), nullptr};
    case SpecialRegister::kWarpid:
      return {context_field(i32, offsetof(WarpContext, warpid)), nullptr};
    case SpecialRegister::kLaneid:
      return {nullptr, lane_numbers()};
    default:
      break;
  }
  const size_t tid = offsetof(WarpContext, tid) + sizeof(uint32_t[32]) * axis;
  V first = context_field(i32, tid);  // of lane 0
  const TidShape shape = tid_shape(analysis_.block);
  if (shape == TidShape::kWholeRows) return {first, axis == 0 ? lane_numbers() : nullptr};
  if (shape == TidShape::kOther) return {nullptr, context_field(lanes_of(i32), tid)};
  if (axis == 2) return {first, nullptr};
  std::vector<llvm::Constant*> steps;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t row = analysis_.block[0];
    steps.push_back(b_.getInt32(axis == 0 ? lane % row : lane / row));
  }
  V lanes = llvm::ConstantVector::get(steps);
  return axis == 0 ? LaneValue{nullptr, lanes} : LaneValue{first, lanes};
}

LaneValue Emitter::read(const Operand& operand, unsigned bits, bool keep_nan) {
  LaneValue value;
  switch (operand.kind) {
    case Value::Kind::kRegister: {
      value = read_slot(operand.slot);
      const unsigned held = analysis_.bits[operand.slot];
      if (!keep_nan && analysis_.lazy_nan[operand.slot]) {
        if (value.scalar != nullptr) value.scalar = tidy_nan(value.scalar);
        if (value.vector != nullptr) value.vector = tidy_nan(value.vector);
      }
      if (operand.negated) {
        V& part = value.vector != nullptr ? value.vector : value.scalar;
        part = b_.CreateNot(part);
      }
      if (held > bits) return cut(value, bits);
      if (held == bits) return value;
      return {nullptr, b_.CreateZExt(all(value, held), lanes_of(integer(bits)))};
    }
    case Value::Kind::kSpecial: {
      value = read_special(operand);
      if (bits < 32) return cut(value, bits);
      return bits == 32 ? value : extended(value, bits, false);
    }
    default:
      return {llvm::ConstantInt::get(integer(bits), operand.value), nullptr};
  }
}

llvm::Value* Emitter::uniform(const Operand& operand, unsigned bits, bool keep_nan) {
  const LaneValue value = read(operand, bits, keep_nan);
  if (value.scalar != nullptr && value.vector == nullptr) return value.scalar;
  // A uniform register that had to be extended: any lane will do.
  return b_.CreateExtractElement(value.vector, uint64_t{0});
}

llvm::Value* Emitter::all(LaneValue value, unsigned bits) {
  if (value.scalar == nullptr && value.vector == nullptr) {
    return llvm::Constant::getNullValue(lanes_of(integer(bits)));
  }
  if (value.scalar == nullptr) return value.vector;
  if (value.vector == nullptr) return splat(value.scalar);
  return b_.CreateAdd(splat(value.scalar), value.vector);
}

llvm::Value* Emitter::vector(const Operand& operand, unsigned bits, bool keep_nan) {
  return all(read(operand, bits, keep_nan), bits);
}

bool Emitter::differs_by_lane(const Step& step) const {
  return !std::ranges::all_of(step.operands.subspan(1),
                              [&](const Operand& operand) { return is_uniform(operand); });
}

std::vector<llvm::Value*> Emitter::operands(const Step& step, unsigned bits, bool keep_nan) {
  const bool by_lane = differs_by_lane(step);
  std::vector<V> values;
  for (const Operand& one : step.operands.subspan(1))
    values.push_back(operand(one, bits, by_lane, keep_nan));
  return values;
}

bool Emitter::has_lazy_result(const Step& step) const {
  const Operand& to = step.operands[0];
  return to.kind == Value::Kind::kRegister && analysis_.lazy_nan[to.slot];
}

void Emitter::write(const Operand& operand, LaneValue value, bool is_signed) {
  if (operand.kind != Value::Kind::kRegister) return;  // a sink
  const unsigned held = analysis_.bits[operand.slot];
  V any = value.vector != nullptr ? value.vector : value.scalar;
  const unsigned bits = any->getType()->getScalarSizeInBits();
  if (bits > held) value = cut(value, held);
  if (bits < held) value = extended(value, held, is_signed);
  write_slot(operand.slot, value);
}

void Emitter::write_slot(uint32_t slot, LaneValue value) {
  const unsigned bits = analysis_.bits[slot];
  const Holding holding = analysis_.holding[slot];
  if (holding == Holding::kVector || (guard_ != nullptr && guard_->getType()->isVectorTy())) {
    V now = all(value, bits);
    const bool merges = analysis_.merges[slot];
    if (guard_ != nullptr || merges) {
      V takes = merges ? as_bits(lanes()) : guard_;
      now = b_.CreateSelect(takes, now, all(read_slot(slot), bits));
    }
    value = {nullptr, now};
  } else if (guard_ != nullptr) {
    const LaneValue old = read_slot(slot);
    llvm::Type* type = integer(bits);
    const auto part = [&](V now, V before, llvm::Type* t) -> V {
      if (now == nullptr && before == nullptr) return nullptr;
      V zero = llvm::Constant::getNullValue(t);
      return b_.CreateSelect(guard_, now != nullptr ? now : zero,
                             before != nullptr ? before : zero);
    };
    value = {part(value.scalar, old.scalar, type), part(value.vector, old.vector, lanes_of(type))};
  }
  llvm::Type* type = integer(bits);
  const auto or_zero = [](V v, llvm::Type* t) {
    return v != nullptr ? v : llvm::Constant::getNullValue(t);
  };
  if (holding != Holding::kVector) b_.CreateStore(or_zero(value.scalar, type), scalar_[slot]);
  if (holding != Holding::kUniform)
    b_.CreateStore(or_zero(value.vector, lanes_of(type)), vector_[slot]);
}

}  // namespace warpledger::exec::jit
