// LLVM. shfl, vote, redux, bar.warp.sync, where all lanes that those here name are here too: each
// lane is answered over the lanes that it names (semantics/warp.h). Where one is elsewhere, the
// launch needs the interpreter.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

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
  V own = vector(step.operands[1], 32);
  V bits = b_.CreateAnd(b_.CreateLShr(splat(lanes()), source.lane),
                        llvm::ConstantInt::get(own->getType(), 1));
  V there = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(own->getType()));
  V value = b_.CreateSelect(there, picked(own, source.lane), own);
  const std::span<const Operand> to = elements(step.operands[0]);
  write_vector(to[0], value);
  if (to.size() > 1) write_vector(to[1], source.inside);
}

/// The lanes that are named: one set, or one by lane.
llvm::Value* Emitter::named_lanes(const Step& step) {
  const Operand& members = step.operands.back();
  return operand(members, 32, !is_uniform(members));
}

// Lanes that no lane can be apart from here need not be looked for.
void Emitter::leave_if_lanes_are_missing(const Step& step) {
  if (!analysis_.may_be_partial[block_] && guard_bits_ == nullptr) return;
  V here = lanes(), named = named_lanes(step);
  V none = llvm::Constant::getNullValue(named->getType());
  if (named->getType()->isVectorTy())
    named = b_.CreateOrReduce(b_.CreateSelect(as_bits(here), named, none));
  V away = b_.CreateAnd(b_.CreateLoad(b_.getInt32Ty(), alive_), b_.CreateNot(here));
  V missing = b_.CreateICmpNE(b_.CreateAnd(named, away), b_.getInt32(0));
  Block ask = new_block("missing"), on = new_block("on");
  branch(b_.CreateAnd(missing, b_.CreateICmpNE(here, b_.getInt32(0))), ask, on, 1, 1000);
  b_.SetInsertPoint(ask);
  call_runtime("wl_jit_miss_lanes", b_.getVoidTy(), {b_.getInt32(pc_), mask(), here});
  b_.CreateBr(leave_);
  b_.SetInsertPoint(on);
}

llvm::Value* Emitter::voted(const Step& step) {
  const LaneValue given = read(step.operands[1], 1);
  V yes = bits_of(given.vector != nullptr ? given.vector : given.scalar);
  V named = named_lanes(step);
  const auto like_named = [&](V set) { return named->getType()->isVectorTy() ? splat(set) : set; };
  V members = b_.CreateAnd(named, like_named(lanes()));
  V set = b_.CreateAnd(members, like_named(yes));
  V none = b_.CreateICmpEQ(set, llvm::Constant::getNullValue(set->getType()));
  V all = b_.CreateICmpEQ(set, members);
  switch (step.variant->get(Slot::kOperation)) {
    case Modifier::kAll:
      return all;
    case Modifier::kAny:
      return b_.CreateNot(none);
    case Modifier::kUni:
      return b_.CreateOr(none, all);
    default:
      return set;
  }
}

namespace {

/// What changes no result of the reduction.
uint32_t neutral(Modifier operation, bool is_signed) {
  switch (operation) {
    case Modifier::kAnd:
      return ~0u;
    case Modifier::kMin:
      return is_signed ? INT32_MAX : UINT32_MAX;
    case Modifier::kMax:
      return is_signed ? static_cast<uint32_t>(INT32_MIN) : 0;
    default:
      return 0;
  }
}

}  // namespace

llvm::Value* Emitter::reduced(const Step& step, V members) {
  const bool is_signed = step.variant->type[0].is_signed;
  const Modifier operation = step.variant->get(Slot::kOperation);
  V all = vector(step.operands[1], 32);
  V values = b_.CreateSelect(as_bits(members), all,
                             llvm::ConstantInt::get(all->getType(), neutral(operation, is_signed)));
  switch (operation) {
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

// One reduction where the lanes name the same set; where they do not, the interpreter's function.
void Emitter::emit_reduction(const Step& step) {
  V here = lanes(), named = named_lanes(step), same = b_.getTrue();
  if (named->getType()->isVectorTy()) {
    V first = in_first_lane(named, here);
    V alike = bits_of(b_.CreateICmpEQ(named, splat(first)));
    same = b_.CreateICmpEQ(b_.CreateAnd(here, b_.CreateNot(alike)), b_.getInt32(0));
    named = first;
  }
  V members = b_.CreateAnd(named, here);
  V simple = b_.CreateAnd(same, b_.CreateICmpNE(members, b_.getInt32(0)));
  Block one = new_block("one"), several = new_block("several"), on = new_block("on");
  branch(simple, one, several, 100, 1);
  b_.SetInsertPoint(one);
  write_uniform(step.operands[0], reduced(step, members));
  b_.CreateBr(on);
  b_.SetInsertPoint(several);
  V guard = guard_;
  emit_interpreted(step, pc_);
  guard_ = guard;
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

bool Emitter::emit_exchange(const Step& step) {
  if (!is_lowered_exchange(step)) return false;
  leave_if_lanes_are_missing(step);
  switch (step.spelling().op()) {
    case Op::kShfl:
      emit_shuffle(step);
      break;
    case Op::kVote:
      write_result(step, voted(step));
      break;
    case Op::kRedux:
      emit_reduction(step);
      break;
    default:  // bar.warp.sync
      break;
  }
  return true;
}

}  // namespace warpledger::exec::jit
