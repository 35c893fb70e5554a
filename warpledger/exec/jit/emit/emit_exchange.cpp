// LLVM. shfl, vote, redux, bar.warp.sync, where all lanes that those here name are here too: each
// lane is answered over the lanes that it names (semantics/warp.h). Where one is elsewhere, the
// launch needs the interpreter.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Slot;

struct Source {
  V lane = nullptr, inside = nullptr;
};

// semantics/warp.h's shuffle_source(), as vectors.
Source shuffle_source(Emitter& e, const Step& step) {
  const auto number = [&](uint32_t value) {
    return llvm::ConstantInt::get(e.lanes_of(e.getInt32Ty()), value);
  };
  V lane = lane_numbers(e);
  V by = e.CreateAnd(vector(e, step.operands[2], 32), number(31));
  V limits = vector(e, step.operands[3], 32);
  V segment = e.CreateAnd(e.CreateLShr(limits, number(8)), number(31));
  V clamp = e.CreateAnd(limits, number(31));
  V lowest = e.CreateAnd(lane, segment);
  V highest = e.CreateOr(lowest, e.CreateAnd(clamp, e.CreateNot(segment)));
  V from = nullptr;
  const Modifier mode = step.variant->get(Slot::kOperation);
  switch (mode) {
    case Modifier::kUp:
      from = e.CreateSub(lane, by);
      break;
    case Modifier::kDown:
      from = e.CreateAdd(lane, by);
      break;
    case Modifier::kBfly:
      from = e.CreateXor(lane, by);
      break;
    default:
      from = e.CreateOr(lowest, e.CreateAnd(by, e.CreateNot(segment)));
      break;
  }
  V inside =
      mode == Modifier::kUp ? e.CreateICmpSGE(from, highest) : e.CreateICmpSLE(from, highest);
  return {e.CreateSelect(inside, from, lane), inside};
}

V picked(Emitter& e, V values, V from) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(from)) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto* one = llvm::cast<llvm::ConstantInt>(constant->getAggregateElement(lane));
      order.push_back(static_cast<int>(one->getZExtValue()));
    }
    return e.CreateShuffleVector(values, order);
  }
  put_vector(e, values, offsetof(WarpContext, data));
  V place = place_in_context(e, offsetof(WarpContext, data));
  from = e.CreateAnd(from, llvm::ConstantInt::get(from->getType(), 31));  // seen by emit_verify.h
  V at = e.CreateGEP(e.getInt32Ty(), place, e.CreateZExt(from, e.lanes_of(e.getInt64Ty())));
  return e.CreateMaskedGather(values->getType(), at, llvm::Align(4));
}

/// The lanes that are named: one set, or one by lane.
V named_lanes(Emitter& e, const Step& step) {
  const Operand& members = step.operands.back();
  return operand(e, members, 32, !is_uniform(e, members));
}

V voted(Emitter& e, const Step& step) {
  const LaneValue given = read(e, step.operands[1], 1);
  V yes = e.bits_of(given.vector != nullptr ? given.vector : given.scalar);
  V named = named_lanes(e, step);
  const auto like_named = [&](V set) {
    return named->getType()->isVectorTy() ? e.splat(set) : set;
  };
  V members = e.CreateAnd(named, like_named(e.lanes()));
  V set = e.CreateAnd(members, like_named(yes));
  V none = e.CreateICmpEQ(set, llvm::Constant::getNullValue(set->getType()));
  V all = e.CreateICmpEQ(set, members);
  switch (step.variant->get(Slot::kOperation)) {
    case Modifier::kAll:
      return all;
    case Modifier::kAny:
      return e.CreateNot(none);
    case Modifier::kUni:
      return e.CreateOr(none, all);
    default:
      return set;
  }
}

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

V reduced(Emitter& e, const Step& step, V members) {
  const bool is_signed = step.variant->type[0].is_signed;
  const Modifier operation = step.variant->get(Slot::kOperation);
  V all = vector(e, step.operands[1], 32);
  V values = e.CreateSelect(e.as_bits(members), all,
                            llvm::ConstantInt::get(all->getType(), neutral(operation, is_signed)));
  switch (operation) {
    case Modifier::kAdd:
      return e.CreateAddReduce(values);
    case Modifier::kAnd:
      return e.CreateAndReduce(values);
    case Modifier::kOr:
      return e.CreateOrReduce(values);
    case Modifier::kXor:
      return e.CreateXorReduce(values);
    case Modifier::kMin:
      return e.CreateIntMinReduce(values, is_signed);
    default:
      return e.CreateIntMaxReduce(values, is_signed);
  }
}

}  // namespace

// The launch needs the interpreter where a lane that is named is elsewhere. Lanes that no lane can
// be apart from here need not be looked for.
void emit_meeting(Emitter& e, const Step& step) {
  if (step.names_all_here) return;
  if (!e.analysis.may_be_partial[e.block] && e.guard_bits == nullptr) return;
  V here = e.lanes(), named = named_lanes(e, step);
  V none = llvm::Constant::getNullValue(named->getType());
  if (named->getType()->isVectorTy())
    named = e.CreateOrReduce(e.CreateSelect(e.as_bits(here), named, none));
  V away = e.CreateAnd(e.CreateLoad(e.getInt32Ty(), e.variables.alive), e.CreateNot(here));
  V missing = e.CreateICmpNE(e.CreateAnd(named, away), e.getInt32(0));
  Block ask = e.new_block("missing"), on = e.new_block("on");
  e.branch(e.CreateAnd(missing, e.CreateICmpNE(here, e.getInt32(0))), ask, on, 1, 1000);
  e.SetInsertPoint(ask);
  call_runtime(e, "wl_jit_miss_lanes", e.getVoidTy(), {e.getInt32(e.pc), e.mask(), here});
  e.CreateBr(e.leave);
  e.SetInsertPoint(on);
}

void emit_activemask(Emitter& e, const Step& step) { write_result(e, step, e.lanes()); }

void emit_shfl(Emitter& e, const Step& step) {
  emit_meeting(e, step);
  const Source source = shuffle_source(e, step);
  V own = vector(e, step.operands[1], 32);
  V bits = e.CreateAnd(e.CreateLShr(e.splat(e.lanes()), source.lane),
                       llvm::ConstantInt::get(own->getType(), 1));
  V there = e.CreateICmpNE(bits, llvm::Constant::getNullValue(own->getType()));
  V value = e.CreateSelect(there, picked(e, own, source.lane), own);
  const std::span<const Operand> to = elements(e, step.operands[0]);
  write(e, to[0], {nullptr, value});
  if (to.size() > 1) write(e, to[1], {nullptr, source.inside});
}

void emit_vote(Emitter& e, const Step& step) {
  emit_meeting(e, step);
  write_result(e, step, voted(e, step));
}

// One reduction where the lanes name the same set; where they do not, the interpreter's function.
void emit_redux(Emitter& e, const Step& step) {
  emit_meeting(e, step);
  V here = e.lanes(), named = named_lanes(e, step), same = e.getTrue();
  if (named->getType()->isVectorTy()) {
    V first = in_first_lane(e, named, here);
    V alike = e.bits_of(e.CreateICmpEQ(named, e.splat(first)));
    same = e.CreateICmpEQ(e.CreateAnd(here, e.CreateNot(alike)), e.getInt32(0));
    named = first;
  }
  V members = e.CreateAnd(named, here);
  V simple = e.CreateAnd(same, e.CreateICmpNE(members, e.getInt32(0)));
  Block one = e.new_block("one"), several = e.new_block("several"), on = e.new_block("on");
  e.branch(simple, one, several, 100, 1);
  e.SetInsertPoint(one);
  write_result(e, step, reduced(e, step, members));
  e.CreateBr(on);
  e.SetInsertPoint(several);
  V guard = e.guard;
  emit_interpreted(e, step);
  e.guard = guard;
  e.CreateBr(on);
  e.SetInsertPoint(on);
}

}  // namespace warpledger::exec::jit
