// LLVM. Loads and stores. The fast version guesses that the lanes lie as they did before and are in
// bounds (SiteWindow), and needs no gather; the general one has the runtime look at every lane.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <bit>

#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Slot;
using ptx::Space;
using reference::Value;

namespace {

// Loads that others may be waited for with: let the other warps run first.
bool may_spin(const reference::Step& step) {
  const Modifier order = step.variant->get(Slot::kOrder);
  return step.variant->has(Modifier::kVolatile) ||
         (order != Modifier::kNone && order != Modifier::kWeak);
}

}  // namespace

Emitter::Access Emitter::make_access(const Step& step, uint32_t pc, const Operand& address) {
  Access access{.step = &step,
                .index = analysis_.memory_index[pc],
                .site = step.site,
                .space = step.spelling().space()};
  access.element = static_cast<unsigned>(step.variant->type[0].bits) / 8;
  access.count = step.spelling().vector;
  access.is_store = step.spelling().op() == ptx::Op::kSt;
  access.lanes = lanes();
  if (address.kind == Value::Kind::kFixed) {
    const bool generic = access.space == Space::kGeneric;
    access.address.scalar =
        b_.getInt64(generic ? address.value + window_of(address.space) : address.value);
    access.full = access.address;
    access.uniform = true;
  } else {
    const unsigned bits = address.bits;
    Operand base = address;
    base.kind = Value::Kind::kRegister;
    base.negated = false;
    LaneValue value = read(base, bits);
    V offset = llvm::ConstantInt::get(integer(bits), address.value);
    value.scalar = value.scalar == nullptr ? offset : b_.CreateAdd(value.scalar, offset);
    if (bits == 32) {
      // In bounds of a window below 4 GB, a sum that does not wrap in 64 bits did not in 32.
      llvm::Type* wide = lanes_of(b_.getInt64Ty());
      access.full = {nullptr, b_.CreateZExt(all(value, 32), wide)};
      value = {b_.CreateZExt(value.scalar, b_.getInt64Ty()),
               value.vector == nullptr ? nullptr : b_.CreateSExt(value.vector, wide)};
    } else {
      access.full = value;
    }
    access.address = value;
    access.uniform = is_uniform(address);
  }
  access.steady = analysis_.leader[pc] != kNowhere;
  return access;
}

llvm::Value* Emitter::pattern_of(const Access& access, V mask) {
  V offsets = access.address.vector != nullptr && !access.uniform
                  ? access.address.vector
                  : llvm::Constant::getNullValue(lanes_of(b_.getInt64Ty()));
  V table = context_field(b_.getPtrTy(), offsetof(WarpContext, patterns));
  llvm::CallInst* call = b_.CreateCall(
      pattern_function_, {table, offsets, mask, b_.getInt32(access.element << 8 | access.count)});
  return call;
}

llvm::Value* Emitter::pattern_field(const Access& access, llvm::Type* type, size_t offset,
                                    unsigned align) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(
      type, b_.CreatePtrAdd(access.pattern, b_.getInt64(offset)), llvm::Align(align));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(module_.getContext(), {}));
  return load;
}

// Leaves unless the lanes lie as they did when they were last found in bounds, and still are. Once
// for a group of accesses (Analysis::leader).
void Emitter::guess_in_bounds(Access& access) {
  const uint32_t leader = analysis_.leader[pc_];
  if (leader != pc_) {
    access.pattern = patterns_.at(leader);
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
  access.pattern = patterns_[leader] = pattern_of(access, lanes_then);
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

llvm::Value* Emitter::host_address(const Access& access, V offset) {
  const size_t base = access.space == Space::kGlobal   ? offsetof(WarpContext, global)
                      : access.space == Space::kShared ? offsetof(WarpContext, shared)
                                                       : offsetof(WarpContext, constants);
  V host = context_field(b_.getPtrTy(), base);
  V at = offset == nullptr ? access.address.scalar : b_.CreateAdd(access.address.scalar, offset);
  return b_.CreatePtrAdd(host, at);
}

void Emitter::record_access(const Access& access) {
  if (!mode_.record) return;
  V at = b_.CreateLoad(b_.getPtrTy(), record_);
  b_.CreateAlignedStore(access.address.scalar, at, llvm::Align(8));
  V shape = b_.CreateZExt(pattern_field(access, b_.getInt32Ty(), offsetof(Pattern, shape), 4),
                          b_.getInt64Ty());
  b_.CreateAlignedStore(b_.CreateOr(shape, b_.getInt64(uint64_t{access.site} << 32)),
                        b_.CreatePtrAdd(at, b_.getInt64(8)), llvm::Align(8));
  b_.CreateStore(b_.CreatePtrAdd(at, b_.getInt64(sizeof(trace::Record))), record_);
}

llvm::Value* Emitter::part_of(V vector, unsigned first, unsigned count) {
  std::vector<int> picked;
  for (unsigned i = 0; i < count; ++i) picked.push_back(static_cast<int>(first + i));
  return b_.CreateShuffleVector(vector, picked);
}

// Each 64 bytes' worth of lanes by one load of 64 bytes and a permutation.
std::vector<llvm::Value*> Emitter::load_windows(const Access& access) {
  const unsigned lanes = 64 / access.element, groups = 32 / lanes;
  llvm::Type* chunk = llvm::FixedVectorType::get(integer(8 * access.element), lanes);
  const auto permute = access.element == 4 ? llvm::Intrinsic::x86_avx512_permvar_si_512
                                           : llvm::Intrinsic::x86_avx512_permvar_di_512;
  const size_t index = access.element == 4 ? offsetof(Pattern, index4) : offsetof(Pattern, index8);
  std::vector<V> parts;
  for (unsigned group = 0; group < groups; ++group) {
    V base = pattern_field(access, b_.getInt64Ty(), offsetof(Pattern, load_base) + 8 * group, 8);
    V bytes = b_.CreateAlignedLoad(chunk, host_address(access, base), llvm::Align(access.element));
    V picks = pattern_field(access, chunk, index + 64 * group, 64);
    parts.push_back(b_.CreateIntrinsic(permute, {}, {bytes, picks}));
  }
  return {joined(std::move(parts))};
}

// Lanes side by side, in groups: masked loads. Vectors of elements in one load, dealt out.
std::vector<llvm::Value*> Emitter::load_runs(const Access& access) {
  const auto load = [&](unsigned group, unsigned elements, V takes) {
    llvm::Type* type = llvm::FixedVectorType::get(integer(8 * access.element), elements);
    V base = pattern_field(access, b_.getInt64Ty(), offsetof(Pattern, store_base) + 8 * group, 8);
    return b_.CreateMaskedLoad(type, host_address(access, base), llvm::Align(access.element), takes,
                               llvm::Constant::getNullValue(type));
  };
  V takes = as_bits(access.lanes);
  std::vector<V> values;
  if (access.count == 1) {
    const unsigned lanes = access.element >= 4 ? 64 / access.element : 32;
    for (unsigned group = 0; group < 32 / lanes; ++group) {
      values.push_back(load(group, lanes, part_of(takes, group * lanes, lanes)));
    }
    return {joined(std::move(values))};
  }
  std::vector<int> spread;
  for (unsigned i = 0; i < 32 * access.count; ++i)
    spread.push_back(static_cast<int>(i / access.count));
  V bytes = load(0, 32 * access.count, b_.CreateShuffleVector(takes, spread));
  for (unsigned c = 0; c < access.count; ++c) {
    std::vector<int> picked;
    for (unsigned lane = 0; lane < 32; ++lane)
      picked.push_back(static_cast<int>(lane * access.count + c));
    values.push_back(b_.CreateShuffleVector(bytes, picked));
  }
  return values;
}

// Vectors one after the other.
llvm::Value* Emitter::joined(std::vector<V> parts) {
  while (parts.size() > 1) {
    std::vector<V> next;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const unsigned width =
          llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      std::vector<int> order;
      for (unsigned k = 0; k < 2 * width; ++k) order.push_back(static_cast<int>(k));
      next.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], order));
    }
    parts = std::move(next);
  }
  return parts[0];
}

std::vector<llvm::Value*> Emitter::load_fast(const Access& access) {
  if (access.uniform) {
    std::vector<V> values;
    for (unsigned c = 0; c < access.count; ++c) {
      V at = host_address(access, b_.getInt64(c * access.element));
      values.push_back(
          b_.CreateAlignedLoad(integer(8 * access.element), at, llvm::Align(access.element)));
    }
    return values;
  }
  return goes_by_windows(access) ? load_windows(access) : load_runs(access);
}

// The runtime checks, records and moves, lane by lane.
void Emitter::call_access(const Access& access) {
  mark_wait(*access.step);
  b_.CreateAlignedStore(all(access.full, 64),
                        b_.CreatePtrAdd(context_, b_.getInt64(offsetof(WarpContext, address))),
                        llvm::Align(64));
  call_or_leave("wl_jit_access", {b_.getInt32(pc_), access.lanes, access.address.scalar});
}

bool Emitter::goes_by_windows(const Access& access) const {
  return mode_.windows && !access.is_store && access.count == 1 && access.element >= 4;
}

std::vector<llvm::Value*> Emitter::load_slow(const Access& access) {
  call_access(access);
  llvm::Type* type = lanes_of(integer(8 * access.element));
  std::vector<V> values;
  for (unsigned c = 0; c < access.count; ++c) {
    V at = b_.CreatePtrAdd(context_, b_.getInt64(offsetof(WarpContext, data) + 256 * c));
    V words = b_.CreateAlignedLoad(lanes_of(b_.getInt64Ty()), at, llvm::Align(64));
    values.push_back(b_.CreateTrunc(words, type));
  }
  if (!access.uniform) return values;
  V lane =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {access.lanes, b_.getFalse()});
  V index = b_.CreateAnd(lane, b_.getInt32(31));
  for (V& value : values) value = b_.CreateExtractElement(value, index);
  return values;
}

bool Emitter::emit_param_load(const Step& step) {
  const Operand& at = step.operands[1];
  const uint64_t bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  const bool inside =
      at.value + bytes * step.spelling().vector <= analysis_.program->layout.param_bytes;
  if (step.spelling().space() != Space::kParam || at.kind != Value::Kind::kFixed || !inside)
    return false;
  mark_wait(step);
  V params = context_field(b_.getPtrTy(), offsetof(WarpContext, params));
  for (uint32_t i = 0; i < step.spelling().vector; ++i) {
    const Operand& to = step.operands[0].kind == Value::Kind::kList
                            ? code_.values[step.operands[0].slot + i]
                            : step.operands[0];
    llvm::LoadInst* load = b_.CreateAlignedLoad(
        integer(static_cast<unsigned>(8 * bytes)),
        b_.CreatePtrAdd(params, b_.getInt64(at.value + i * bytes)), llvm::Align(1));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(module_.getContext(), {}));
    write(to, {load, nullptr}, step.variant->type[0].is_signed);
  }
  return true;
}

// Bounds and record of an access whose bytes nobody needs.
void Emitter::emit_dropped_access(const Step& step, uint32_t pc) {
  if (may_spin(step) && step.spelling().op() == ptx::Op::kLd) call_or_leave("wl_jit_pause", {});
  Access access =
      make_access(step, pc, step.operands[static_cast<size_t>(std::countr_zero(step.still_reads))]);
  access.moves = false;
  if (!fast_ || !access.steady) return call_access(access);
  guess_in_bounds(access);
  mark_wait(step);
  record_access(access);
}

void Emitter::emit_load(const Step& step, uint32_t pc) {
  if (emit_param_load(step)) return;
  if (may_spin(step)) call_or_leave("wl_jit_pause", {});
  Access access = make_access(step, pc, step.operands[1]);
  std::vector<V> values;
  if (fast_ && access.steady) {
    guess_in_bounds(access);
    mark_wait(step);
    record_access(access);
    values = load_fast(access);
  } else {
    values = load_slow(access);
  }
  for (unsigned i = 0; i < access.count; ++i) {
    const Operand& to = step.operands[0].kind == Value::Kind::kList
                            ? code_.values[step.operands[0].slot + i]
                            : step.operands[0];
    const bool is_vector = values[i]->getType()->isVectorTy();
    write(to, is_vector ? LaneValue{nullptr, values[i]} : LaneValue{values[i], nullptr},
          step.variant->type[0].is_signed);
  }
}

void Emitter::store_fast(const Access& access, const std::vector<V>& values) {
  if (access.uniform) {  // the highest lane wins, as when lanes write one after the other
    V highest = b_.CreateSub(
        b_.getInt32(31),
        b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {b_.getInt32Ty()}, {access.lanes, b_.getTrue()}));
    for (unsigned c = 0; c < access.count; ++c) {
      V at = host_address(access, b_.getInt64(c * access.element));
      b_.CreateAlignedStore(b_.CreateExtractElement(values[c], highest), at,
                            llvm::Align(access.element));
    }
    return;
  }
  Block runs = new_block("runs"), scattered = new_block("scattered"), on = new_block("stored");
  b_.CreateCondBr(is_regular(access), runs, scattered);
  b_.SetInsertPoint(scattered);
  for (unsigned c = 0; c < access.count; ++c) {
    V at = b_.CreateGEP(b_.getInt8Ty(), host_address(access, b_.getInt64(c * access.element)),
                        access.address.vector);
    b_.CreateMaskedScatter(values[c], at, llvm::Align(access.element), as_bits(access.lanes));
  }
  b_.CreateBr(on);
  b_.SetInsertPoint(runs);
  store_runs(access, values);
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

void Emitter::store_runs(const Access& access, const std::vector<V>& values) {
  const bool in_groups = access.count == 1 && access.element >= 4;
  const unsigned lanes = in_groups ? 64 / access.element : 32;
  V takes = as_bits(access.lanes);
  for (unsigned group = 0; group < 32 / lanes; ++group) {
    V base = pattern_field(access, b_.getInt64Ty(), offsetof(Pattern, store_base) + 8 * group, 8);
    V data = part_of(values[0], group * lanes, lanes);
    V who = part_of(takes, group * lanes, lanes);
    if (access.count > 1) {
      std::vector<int> spread;
      for (unsigned i = 0; i < 32 * access.count; ++i)
        spread.push_back(static_cast<int>(i / access.count));
      who = b_.CreateShuffleVector(takes, spread);
      data = interleaved(values);
    }
    b_.CreateMaskedStore(data, host_address(access, base), llvm::Align(access.element), who);
  }
}

llvm::Value* Emitter::interleaved(const std::vector<V>& values) {
  V in_a_row = joined(values);
  std::vector<int> deal;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned c = 0; c < values.size(); ++c) deal.push_back(static_cast<int>(c * 32 + lane));
  }
  return b_.CreateShuffleVector(in_a_row, deal);
}

void Emitter::store_slow(const Access& access, const std::vector<V>& values) {
  for (unsigned c = 0; c < access.count; ++c) {
    V at = b_.CreatePtrAdd(context_, b_.getInt64(offsetof(WarpContext, data) + 256 * c));
    b_.CreateAlignedStore(b_.CreateZExt(values[c], lanes_of(b_.getInt64Ty())), at, llvm::Align(64));
  }
  call_access(access);
}

void Emitter::emit_store(const Step& step, uint32_t pc) {
  Access access = make_access(step, pc, step.operands[0]);
  std::vector<V> values;
  for (unsigned i = 0; i < access.count; ++i) {
    const Operand& from = step.operands[1].kind == Value::Kind::kList
                              ? code_.values[step.operands[1].slot + i]
                              : step.operands[1];
    values.push_back(vector(from, 8 * access.element));
  }
  if (!fast_ || !access.steady) return store_slow(access, values);
  guess_in_bounds(access);
  mark_wait(step);
  record_access(access);
  store_fast(access, values);
}

}  // namespace warpledger::exec::jit
