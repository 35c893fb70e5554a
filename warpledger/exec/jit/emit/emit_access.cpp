// LLVM. An access before its bytes move: where its lanes lie, and whether they are in bounds. The
// fast version guesses that they lie as they did before (SiteWindow); the general one has the
// runtime look at every lane.
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "warpledger/exec/jit/emit/emitter.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Space;
using reference::Value;

Emitter::Access Emitter::make_access(const Step& step, uint32_t pc, const Operand& address) {
  Access access{.step = &step,
                .index = analysis_.memory_index[pc],
                .site = step.site,
                .space = step.spelling().space()};
  access.element = static_cast<unsigned>(step.variant->type[0].bits) / 8;
  access.count = step.spelling().vector;
  access.is_store = step.spelling().op() == ptx::Op::kSt;
  access.lanes = lanes();
  access.steady = analysis_.leader[pc] != kNowhere;
  access.uniform = is_uniform(address);
  if (address.kind != Value::Kind::kFixed) {
    add_base(access, address);
    return access;
  }
  const bool generic = access.space == Space::kGeneric;
  access.address.scalar =
      b_.getInt64(generic ? address.value + window_of(address.space) : address.value);
  access.full = access.address;
  return access;
}

// [register + offset]. What the lanes of a 32-bit register touch are their sums in 32 bits. The
// scalar and the vector of the pair are numbers with a sign instead, so that a pointer that starts
// below 0 for lanes that are off lies where it should for the others: what is in bounds by such a
// sum of 64 bits is less than 2^32 and so the same number as in 32 (warp_context.h).
void Emitter::add_base(Access& access, const Operand& address) {
  const unsigned bits = address.bits;
  Operand base = address;
  base.kind = Value::Kind::kRegister;
  base.negated = false;
  LaneValue value = read(base, bits);
  V offset = llvm::ConstantInt::get(integer(bits), address.value);
  value.scalar = value.scalar == nullptr ? offset : b_.CreateAdd(value.scalar, offset);
  access.address = access.full = value;
  if (bits == 32) {
    access.full = {nullptr, extended(all(value, 32), 64, false)};
    access.address = {extended(value.scalar, 64, true),
                      value.vector == nullptr ? nullptr : extended(value.vector, 64, true)};
  }
  const uint32_t leader = analysis_.leader[pc_];
  if (!fast_ || leader == kNowhere || leader == pc_) return;
  // The leader's bounds hold for its own scalar and what is added to that.
  access.address.scalar = b_.CreateAdd(
      leaders_.at(leader).address, b_.getInt64(static_cast<uint64_t>(analysis_.from_leader[pc_])));
}

llvm::Value* Emitter::pattern_of(const Access& access, V mask) {
  V offsets = access.address.vector != nullptr && !access.uniform
                  ? access.address.vector
                  : llvm::Constant::getNullValue(lanes_of(b_.getInt64Ty()));
  V table = context_field(b_.getPtrTy(), offsetof(WarpContext, patterns));
  V size = b_.getInt32(access.element << 8 | access.count);
  return b_.CreateCall(pattern_function_, {table, offsets, mask, size});
}

llvm::Value* Emitter::pattern_field(const Access& access, llvm::Type* type, size_t offset,
                                    unsigned align) {
  return load_invariant(type, b_.CreatePtrAdd(access.pattern, b_.getInt64(offset)), align);
}

// Leaves unless the lanes lie as they did when they were last found in bounds, and still are. Once
// for a group of accesses (Analysis::leader).
void Emitter::guess_in_bounds(Access& access) {
  const uint32_t leader = analysis_.leader[pc_];
  if (leader != pc_) {
    access.pattern = leaders_.at(leader).pattern;
    if (access.moves && !access.is_store && !access.uniform) guess(is_regular(access));
    return;
  }
  llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
  V lanes_then = access.lanes;
  V same_lanes = b_.getTrue();
  if (guard_ == nullptr && !access.picks_lanes && analysis_.flow.innermost[block_] != kNowhere) {
    lanes_then = b_.CreateLoad(b_.getInt32Ty(), loop_mask_);  // invariant, and so is the pattern
    same_lanes = b_.CreateICmpEQ(access.lanes, lanes_then);
  }
  access.pattern = pattern_of(access, lanes_then);
  leaders_[leader] = {access.pattern, access.address.scalar};
  V window = b_.CreatePtrAdd(context_field(ptr, offsetof(WarpContext, windows)),
                             b_.getInt64(access.index * sizeof(SiteWindow)));
  const auto field = [&](llvm::Type* type, size_t offset) {
    return b_.CreateLoad(type, b_.CreatePtrAdd(window, b_.getInt64(offset)));
  };
  V known = b_.CreateICmpEQ(field(ptr, offsetof(SiteWindow, pattern)), access.pattern);
  V at = b_.CreateSub(access.address.scalar, field(i64, offsetof(SiteWindow, base)));
  const auto shift = static_cast<uint64_t>(std::countr_zero(access.element * access.count));
  V unit = b_.CreateIntrinsic(llvm::Intrinsic::fshr, {i64}, {at, at, b_.getInt64(shift)});
  V inside = b_.CreateICmpULT(unit, field(i64, offsetof(SiteWindow, bound)));
  const bool any_lanes = access.is_store || access.uniform || !access.moves;
  V regular = any_lanes ? b_.getTrue() : is_regular(access);
  guess(b_.CreateAnd(b_.CreateAnd(known, inside), b_.CreateAnd(regular, same_lanes)));
}

/// The pattern's flag: 1 when the lanes need no gather, or no scatter.
llvm::Value* Emitter::is_regular(const Access& access) {
  const size_t flag =
      goes_by_windows(access) ? offsetof(Pattern, loads) : offsetof(Pattern, stores);
  return b_.CreateICmpNE(pattern_field(access, b_.getInt32Ty(), flag, 4), b_.getInt32(0));
}

bool Emitter::goes_by_windows(const Access& access) const {
  return mode_.windows && !access.is_store && access.count == 1 && access.element >= 4;
}

llvm::Value* Emitter::host_address(const Access& access, V offset) {
  const size_t base = access.space == Space::kGlobal   ? offsetof(WarpContext, global)
                      : access.space == Space::kShared ? offsetof(WarpContext, shared)
                                                       : offsetof(WarpContext, constants);
  V host = context_field(b_.getPtrTy(), base);
  return b_.CreatePtrAdd(host, b_.CreateAdd(access.address.scalar, offset));
}

// The runtime checks, records and moves, lane by lane.
void Emitter::call_access(const Access& access) {
  mark_wait(*access.step);
  put_vector(all(access.full, 64), offsetof(WarpContext, address));
  call_or_leave("wl_jit_access", {b_.getInt32(pc_), access.lanes, access.address.scalar});
}

}  // namespace warpledger::exec::jit
