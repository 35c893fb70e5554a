// LLVM. The addresses of an access's lanes, and the guess that they are in bounds.
#include "warpledger/exec/jit/emit/emit_access.h"

#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Value;

// [register + offset]. What the lanes of a 32-bit register touch are their sums in 32 bits. The
// scalar and the vector of the pair are numbers with a sign instead, so that a pointer that starts
// below 0 for lanes that are off lies where it should for the others: what is in bounds by such a
// sum of 64 bits is less than 2^32 and so the same number as in 32 (warp_context.h).
void add_base(Emitter& e, Access& access, const Operand& address) {
  const unsigned bits = address.bits;
  Operand base = address;
  base.kind = Value::Kind::kRegister;
  base.negated = false;
  LaneValue value = read(e, base, bits);
  V offset = llvm::ConstantInt::get(e.integer(bits), address.value);
  value.scalar = value.scalar == nullptr ? offset : e.CreateAdd(value.scalar, offset);
  access.address = access.full = value;
  if (bits == 32) {
    access.full = {nullptr, extended(e, all(e, value, 32), 64, false)};
    access.address = {extended(e, value.scalar, 64, true),
                      value.vector == nullptr ? nullptr : extended(e, value.vector, 64, true)};
  }
  // A peer's memory is then out of bounds, and the runtime's.
  if (e.analysis.clustered && access.space == Space::kShared)
    access.address.scalar = e.CreateSub(access.address.scalar, rank_bits(e, 64));
  const uint32_t leader = e.analysis.leader[e.pc];
  if (!e.fast || leader == kNowhere || leader == e.pc) return;
  // The leader's bounds hold for its own scalar and what is added to that.
  access.address.scalar =
      e.CreateAdd(e.leaders.at(leader).address,
                  e.getInt64(static_cast<uint64_t>(e.analysis.from_leader[e.pc])));
}

V pattern_of(Emitter& e, const Access& access, V mask) {
  V offsets = access.address.vector != nullptr && !access.uniform
                  ? access.address.vector
                  : llvm::Constant::getNullValue(e.lanes_of(e.getInt64Ty()));
  V table = context_field(e, e.getPtrTy(), offsetof(WarpContext, patterns));
  V size = e.getInt32(access.element << 8 | access.count);
  return e.CreateCall(e.pattern_function, {table, offsets, mask, size});
}

// Whether the access moves its bytes only where its lanes lie regularly.
bool must_be_regular(const Emitter& e, const Access& access) {
  return access.moves && !access.is_store && !access.uniform && !has_gathers(e, access);
}

}  // namespace

Access make_access(Emitter& e, const Step& step, const Operand& address) {
  Access access{.step = &step,
                .index = e.analysis.memory_index[e.pc],
                .site = step.site,
                .space = step.spelling().space()};
  access.element = static_cast<unsigned>(step.variant->type[0].bits) / 8;
  access.count = step.spelling().vector;
  access.is_store = step.spelling().op() == ptx::Op::kSt;
  access.lanes = e.lanes();
  access.steady = e.analysis.leader[e.pc] != kNowhere;
  access.uniform = is_uniform(e, address) && is_one_place(access.space);
  if (address.kind != Value::Kind::kFixed) {
    add_base(e, access, address);
    return access;
  }
  const bool generic = access.space == Space::kGeneric;
  access.address.scalar =
      e.getInt64(generic ? address.value + window_of(address.space) : address.value);
  access.full = access.address;
  return access;
}

V pattern_field(Emitter& e, const Access& access, llvm::Type* type, size_t offset, unsigned align) {
  return load_invariant(e, type, e.CreatePtrAdd(access.pattern, e.getInt64(offset)), align);
}

void guess_in_bounds(Emitter& e, Access& access) {
  const uint32_t leader = e.analysis.leader[e.pc];
  if (leader != e.pc) {
    access.pattern = e.leaders.at(leader).pattern;
    if (must_be_regular(e, access)) e.guess(is_regular(e, access));
    return;
  }
  llvm::Type *i64 = e.getInt64Ty(), *ptr = e.getPtrTy();
  V lanes_then = access.lanes;
  V same_lanes = e.getTrue();
  if (e.guard == nullptr && !access.picks_lanes && e.analysis.flow.innermost[e.block] != kNowhere) {
    lanes_then =
        e.CreateLoad(e.getInt32Ty(), e.variables.loop_mask);  // invariant, and so is the pattern
    same_lanes = e.CreateICmpEQ(access.lanes, lanes_then);
  }
  access.pattern = pattern_of(e, access, lanes_then);
  e.leaders[leader] = {access.pattern, access.address.scalar};
  V window = e.CreatePtrAdd(context_field(e, ptr, offsetof(WarpContext, windows)),
                            e.getInt64(access.index * sizeof(SiteWindow)));
  const auto field = [&](llvm::Type* type, size_t offset) {
    return e.CreateLoad(type, e.CreatePtrAdd(window, e.getInt64(offset)));
  };
  V known = e.CreateICmpEQ(field(ptr, offsetof(SiteWindow, pattern)), access.pattern);
  V at = e.CreateSub(access.address.scalar, field(i64, offsetof(SiteWindow, base)));
  const auto shift = static_cast<uint64_t>(std::countr_zero(access.element * access.count));
  V unit = e.CreateIntrinsic(llvm::Intrinsic::fshr, {i64}, {at, at, e.getInt64(shift)});
  V inside = e.CreateICmpULT(unit, field(i64, offsetof(SiteWindow, bound)));
  V regular = must_be_regular(e, access) ? is_regular(e, access) : e.getTrue();
  e.guess(e.CreateAnd(e.CreateAnd(known, inside), e.CreateAnd(regular, same_lanes)));
}

// The pattern's flag.
V is_regular(Emitter& e, const Access& access) {
  const size_t flag =
      goes_by_windows(e, access) ? offsetof(Pattern, loads) : offsetof(Pattern, stores);
  return e.CreateICmpNE(pattern_field(e, access, e.getInt32Ty(), flag, 4), e.getInt32(0));
}

bool goes_by_windows(const Emitter& e, const Access& access) {
  return e.mode.windows && !access.is_store && access.count == 1 && access.element >= 4;
}

// Elsewhere LLVM would write each lane as a branch.
bool has_gathers(const Emitter& e, const Access& access) {
  return e.mode.windows && !access.is_store && access.count > 1 && access.element >= 4;
}

V host_address(Emitter& e, const Access& access, V offset) {
  const size_t base = access.space == Space::kGlobal   ? offsetof(WarpContext, global)
                      : access.space == Space::kShared ? offsetof(WarpContext, shared)
                                                       : offsetof(WarpContext, constants);
  V host = context_field(e, e.getPtrTy(), base);
  return e.CreatePtrAdd(host, e.CreateAdd(access.address.scalar, offset));
}

// Sums of numbers: LLVM 19 makes one pointer of thirty-two whose offsets it finds to be all 0.
V host_addresses(Emitter& e, const Access& access, unsigned first) {
  V of_scalar = e.CreatePtrToInt(host_address(e, access, e.getInt64(first)), e.getInt64Ty());
  return e.CreateIntToPtr(e.CreateAdd(e.splat(of_scalar), access.address.vector),
                          e.lanes_of(e.getPtrTy()));
}

void note_write(Emitter& e, const Access& access) {
  if (!e.analysis.notes_writes || access.space != Space::kShared) return;
  Block note = e.new_block("note"), on = e.new_block("on");
  V notes = context_field(e, e.getInt32Ty(), offsetof(WarpContext, notes), false);
  e.branch(e.CreateICmpNE(notes, e.getInt32(0)), note, on, 1, 10);
  e.SetInsertPoint(note);
  put_vector(e, all(e, access.full, 64), offsetof(WarpContext, address));
  V over =
      call_runtime(e, "wl_jit_note_write", e.getInt32Ty(),
                   {e.getInt32(e.pc), access.lanes, e.getInt32(access.element * access.count)});
  e.CreateCondBr(e.CreateICmpEQ(over, e.getInt32(0)), on, e.leave);
  e.SetInsertPoint(on);
}

void guess_there(Emitter& e, const Access& access) {
  if (e.analysis.guesses && access.space == Space::kShared) e.guess(e.getFalse());
}

void call_access(Emitter& e, const Access& access) {
  mark_wait(e, *access.step);
  put_vector(e, all(e, access.full, 64), offsetof(WarpContext, address));
  call_or_leave(e, "wl_jit_access", {e.getInt32(e.pc), access.lanes, access.address.scalar});
}

}  // namespace warpledger::exec::jit
