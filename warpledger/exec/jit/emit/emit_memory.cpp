// LLVM. Loads and stores. Lanes that are in bounds by guess (emit_access.cpp) need no gather: they
// lie in windows of 64 bytes, or side by side in runs.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <bit>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using ptx::Space;
using reference::Value;

namespace {

// Of element `c` of every lane, in the context.
size_t place_of_data(unsigned c) { return offsetof(WarpContext, data) + c * sizeof(uint64_t[32]); }

}  // namespace

llvm::Value* Emitter::part_of(V vector, unsigned first, unsigned count) {
  std::vector<int> picked;
  for (unsigned i = 0; i < count; ++i) picked.push_back(static_cast<int>(first + i));
  return b_.CreateShuffleVector(vector, picked);
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

// The elements of lane 0, then those of lane 1, ...
llvm::Value* Emitter::interleaved(const std::vector<V>& values) {
  V in_a_row = joined(values);
  std::vector<int> deal;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned c = 0; c < values.size(); ++c) deal.push_back(static_cast<int>(c * 32 + lane));
  }
  return b_.CreateShuffleVector(in_a_row, deal);
}

// A flag for each of `count` elements of each lane.
llvm::Value* Emitter::for_each_element(V lanes, unsigned count) {
  std::vector<int> spread;
  for (unsigned i = 0; i < 32 * count; ++i) spread.push_back(static_cast<int>(i / count));
  return b_.CreateShuffleVector(lanes, spread);
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
  V bytes = load(0, 32 * access.count, for_each_element(takes, access.count));
  for (unsigned c = 0; c < access.count; ++c) {
    std::vector<int> picked;
    for (unsigned lane = 0; lane < 32; ++lane)
      picked.push_back(static_cast<int>(lane * access.count + c));
    values.push_back(b_.CreateShuffleVector(bytes, picked));
  }
  return values;
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

std::vector<llvm::Value*> Emitter::load_slow(const Access& access) {
  call_access(access);
  llvm::Type* type = lanes_of(integer(8 * access.element));
  std::vector<V> values;
  for (unsigned c = 0; c < access.count; ++c) {
    V words = get_vector(lanes_of(b_.getInt64Ty()), place_of_data(c));
    values.push_back(b_.CreateTrunc(words, type));
  }
  if (!access.uniform) return values;
  for (V& value : values) value = in_first_lane(value, access.lanes);
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
  uint64_t offset = at.value;
  for (const Operand& to : elements(step.operands[0])) {
    V value = load_invariant(integer(static_cast<unsigned>(8 * bytes)),
                             b_.CreatePtrAdd(params, b_.getInt64(offset)), 1);
    write(to, {value, nullptr}, step.variant->type[0].is_signed);
    offset += bytes;
  }
  return true;
}

// Bounds and record of an access whose bytes nobody needs.
void Emitter::emit_dropped_access(const Step& step, uint32_t pc) {
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
  if (may_spin(step)) tell_what_is_seen(access, values);
  for (unsigned i = 0; i < access.count; ++i)
    write(elements(step.operands[0])[i], lane_value(values[i]), step.variant->type[0].is_signed);
}

void Emitter::tell_what_is_seen(const Access& access, const std::vector<V>& values) {
  put_vector(all(access.full, 64), offsetof(WarpContext, address));
  for (unsigned c = 0; c < access.count; ++c)
    put_vector(extended(all(lane_value(values[c]), 8 * access.element), 64, false),
               place_of_data(c));
  call_runtime("wl_jit_see", b_.getVoidTy(), {b_.getInt32(pc_), access.lanes});
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
    // Sums of numbers: LLVM 19 makes one pointer of thirty-two whose offsets it finds to be all 0.
    V first =
        b_.CreatePtrToInt(host_address(access, b_.getInt64(c * access.element)), b_.getInt64Ty());
    V at = b_.CreateIntToPtr(b_.CreateAdd(splat(first), access.address.vector),
                             lanes_of(b_.getPtrTy()));
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
      who = for_each_element(takes, access.count);
      data = interleaved(values);
    }
    b_.CreateMaskedStore(data, host_address(access, base), llvm::Align(access.element), who);
  }
}

void Emitter::store_slow(const Access& access, const std::vector<V>& values) {
  for (unsigned c = 0; c < access.count; ++c) {
    put_vector(extended(values[c], 64, false), place_of_data(c));
  }
  call_access(access);
}

void Emitter::emit_store(const Step& step, uint32_t pc) {
  Access access = make_access(step, pc, step.operands[0]);
  if (analysis_.polls) set_context_field(b_.getInt32(1), offsetof(WarpContext, acted));
  std::vector<V> values;
  for (const Operand& from : elements(step.operands[1]))
    values.push_back(vector(from, 8 * access.element));
  if (!fast_ || !access.steady) return store_slow(access, values);
  guess_in_bounds(access);
  mark_wait(step);
  record_access(access);
  store_fast(access, values);
}

}  // namespace warpledger::exec::jit
