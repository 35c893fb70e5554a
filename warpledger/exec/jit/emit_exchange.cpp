// LLVM. shfl, vote, redux, bar.warp.sync where the whole warp takes part; where it does not, the
// interpreter's functions.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/jit/lowering.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// semantics/warp.h's shuffle_source(), as vectors.
Emitter::Source Emitter::shuffle_source(const Step& step) {
  const auto number = [&](uint32_t value) {
    return llvm::ConstantInt::get(lanes_of(b_.getInt32Ty()), value);
  };
  V lane = lane_numbers();
  V by = b_.CreateAnd(vector(step.operands[2], 32), number(31));
  V limits = vector(step.operands[3], 32);
  V segment = b_.CreateAnd(b_.CreateLShr(limits, number(8)), number(31));
  V clamp = b_.CreateAnd(limits, number(31));
  V lowest = b_.CreateAnd(lane, segment);
  V highest = b_.CreateOr(lowest, b_.CreateAnd(clamp, b_.CreateNot(segment)));
  V from = nullptr;
  const Modifier mode = step.variant->get(Slot::kOperation);
  switch (mode) {
    case Modifier::kUp:
      from = b_.CreateSub(lane, by);
      break;
    case Modifier::kDown:
      from = b_.CreateAdd(lane, by);
      break;
    case Modifier::kBfly:
      from = b_.CreateXor(lane, by);
      break;
    default:
      from = b_.CreateOr(lowest, b_.CreateAnd(by, b_.CreateNot(segment)));
      break;
  }
  V inside =
      mode == Modifier::kUp ? b_.CreateICmpSGE(from, highest) : b_.CreateICmpSLE(from, highest);
  return {b_.CreateSelect(inside, from, lane), inside};
}

llvm::Value* Emitter::picked(V values, V from) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(from)) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto* one = llvm::cast<llvm::ConstantInt>(constant->getAggregateElement(lane));
      order.push_back(static_cast<int>(one->getZExtValue()));
    }
    return b_.CreateShuffleVector(values, order);
  }
  put_vector(values, offsetof(WarpContext, data));
  V place = place_in_context(offsetof(WarpContext, data));
  V at = b_.CreateGEP(b_.getInt32Ty(), place, b_.CreateZExt(from, lanes_of(b_.getInt64Ty())));
  return b_.CreateMaskedGather(values->getType(), at, llvm::Align(4));
}

void Emitter::emit_shuffle(const Step& step) {
  const Source source = shuffle_source(step);
  V value = picked(vector(step.operands[1], 32), source.lane);
  const std::span<const Operand> to = elements(step.operands[0]);
  write_vector(to[0], value);
  if (to.size() > 1) write_vector(to[1], source.inside);
}

llvm::Value* Emitter::voted(const Step& step) {
  const LaneValue given = read(step.operands[1], 1);
  V bits = bits_of(given.vector != nullptr ? given.vector : given.scalar);
  V none = b_.CreateICmpEQ(bits, b_.getInt32(0)), all = b_.CreateICmpEQ(bits, b_.getInt32(~0u));
  switch (step.variant->get(Slot::kOperation)) {
    case Modifier::kAll:
      return all;
    case Modifier::kAny:
      return b_.CreateNot(none);
    case Modifier::kUni:
      return b_.CreateOr(none, all);
    default:
      return bits;
  }
}

llvm::Value* Emitter::reduced(const Step& step) {
  V values = vector(step.operands[1], 32);
  const bool is_signed = step.variant->type[0].is_signed;
  switch (step.variant->get(Slot::kOperation)) {
    case Modifier::kAdd:
      return b_.CreateAddReduce(values);
    case Modifier::kAnd:
      return b_.CreateAndReduce(values);
    case Modifier::kOr:
      return b_.CreateOrReduce(values);
    case Modifier::kXor:
      return b_.CreateXorReduce(values);
    case Modifier::kMin:
      return b_.CreateIntMinReduce(values, is_signed);
    default:
      return b_.CreateIntMaxReduce(values, is_signed);
  }
}

bool Emitter::emit_exchange(const Step& step) {
  if (!is_lowered_exchange(step)) return false;
  if (!fast_) {
    mark_wait(step);
    emit_interpreted(step, pc_);
    return true;
  }
  guess(b_.CreateICmpEQ(lanes(), b_.getInt32(~0u)));
  mark_wait(step);
  switch (step.spelling().op()) {
    case Op::kShfl:
      emit_shuffle(step);
      break;
    case Op::kVote:
      write_uniform(step.operands[0], voted(step));
      break;
    case Op::kRedux:
      write_uniform(step.operands[0], reduced(step));
      break;
    default:  // bar.warp.sync
      break;
  }
  return true;
}

}  // namespace warpledger::exec::jit
