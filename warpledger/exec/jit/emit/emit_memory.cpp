// LLVM. Loads and stores. Lanes that are in bounds by guess (emit_access.cpp) need no gather where
// they lie in windows of 64 bytes, or side by side in runs. Vectors, which machine code reads for
// many lanes at once, have gathers beside that.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <bit>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_table.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Value;

// Of element `c` of every lane, in the context.
size_t place_of_data(unsigned c) { return offsetof(WarpContext, data) + c * sizeof(uint64_t[32]); }

V part_of(Emitter& e, V vector, unsigned first, unsigned count) {
  std::vector<int> picked;
  for (unsigned i = 0; i < count; ++i) picked.push_back(static_cast<int>(first + i));
  return e.CreateShuffleVector(vector, picked);
}

// Vectors one after the other.
V joined(Emitter& e, std::vector<V> parts) {
  while (parts.size() > 1) {
    std::vector<V> next;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const unsigned width =
          llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      std::vector<int> order;
      for (unsigned k = 0; k < 2 * width; ++k) order.push_back(static_cast<int>(k));
      next.push_back(e.CreateShuffleVector(parts[i], parts[i + 1], order));
    }
    parts = std::move(next);
  }
  return parts[0];
}

// The elements of lane 0, then those of lane 1, ...
V interleaved(Emitter& e, const std::vector<V>& values) {
  V in_a_row = joined(e, values);
  std::vector<int> deal;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned c = 0; c < values.size(); ++c) deal.push_back(static_cast<int>(c * 32 + lane));
  }
  return e.CreateShuffleVector(in_a_row, deal);
}

// A flag for each of `count` elements of each lane.
V for_each_element(Emitter& e, V lanes, unsigned count) {
  std::vector<int> spread;
  for (unsigned i = 0; i < 32 * count; ++i) spread.push_back(static_cast<int>(i / count));
  return e.CreateShuffleVector(lanes, spread);
}

// Each 64 bytes' worth of lanes by one load of 64 bytes and a permutation.
std::vector<V> load_windows(Emitter& e, const Access& access) {
  const unsigned lanes = 64 / access.element, groups = 32 / lanes;
  llvm::Type* chunk = llvm::FixedVectorType::get(e.integer(8 * access.element), lanes);
  const auto permute = access.element == 4 ? llvm::Intrinsic::x86_avx512_permvar_si_512
                                           : llvm::Intrinsic::x86_avx512_permvar_di_512;
  const size_t index = access.element == 4 ? offsetof(Pattern, index4) : offsetof(Pattern, index8);
  std::vector<V> parts;
  for (unsigned group = 0; group < groups; ++group) {
    V base = pattern_field(e, access, e.getInt64Ty(), offsetof(Pattern, load_base) + 8 * group, 8);
    V bytes =
        e.CreateAlignedLoad(chunk, host_address(e, access, base), llvm::Align(access.element));
    V picks = pattern_field(e, access, chunk, index + 64 * group, 64);
    parts.push_back(e.CreateIntrinsic(permute, {}, {bytes, picks}));
  }
  return {joined(e, std::move(parts))};
}

// Lanes side by side, in groups: masked loads. Vectors of elements in one load, dealt out.
std::vector<V> load_runs(Emitter& e, const Access& access) {
  const auto load = [&](unsigned group, unsigned elements, V takes) {
    llvm::Type* type = llvm::FixedVectorType::get(e.integer(8 * access.element), elements);
    V base = pattern_field(e, access, e.getInt64Ty(), offsetof(Pattern, store_base) + 8 * group, 8);
    return e.CreateMaskedLoad(type, host_address(e, access, base), llvm::Align(access.element),
                              takes, llvm::Constant::getNullValue(type));
  };
  V takes = e.as_bits(access.lanes);
  std::vector<V> values;
  if (access.count == 1) {
    const unsigned lanes = access.element >= 4 ? 64 / access.element : 32;
    for (unsigned group = 0; group < 32 / lanes; ++group) {
      values.push_back(load(group, lanes, part_of(e, takes, group * lanes, lanes)));
    }
    return {joined(e, std::move(values))};
  }
  V bytes = load(0, 32 * access.count, for_each_element(e, takes, access.count));
  for (unsigned c = 0; c < access.count; ++c) {
    std::vector<int> picked;
    for (unsigned lane = 0; lane < 32; ++lane)
      picked.push_back(static_cast<int>(lane * access.count + c));
    values.push_back(e.CreateShuffleVector(bytes, picked));
  }
  return values;
}

// Vectors that lie anyhow. Two elements of 4 bytes come as one of 8: half the gathers.
std::vector<V> load_anyhow(Emitter& e, const Access& access) {
  const bool in_pairs = access.element == 4;
  std::vector<V> values;
  for (unsigned c = 0; c < access.count; c += in_pairs ? 2 : 1) {
    V bytes = e.CreateMaskedGather(
        e.lanes_of(e.getInt64Ty()), host_addresses(e, access, c * access.element), llvm::Align(8),
        e.as_bits(access.lanes), llvm::Constant::getNullValue(e.lanes_of(e.getInt64Ty())));
    if (!in_pairs) {
      values.push_back(bytes);
      continue;
    }
    llvm::Type* word = e.lanes_of(e.getInt32Ty());
    values.push_back(e.CreateTrunc(bytes, word));
    values.push_back(e.CreateTrunc(e.CreateLShr(bytes, 32), word));
  }
  return values;
}

std::vector<V> load_vectors(Emitter& e, const Access& access) {
  Block runs = e.new_block("runs"), gathered = e.new_block("gathered"), on = e.new_block("loaded");
  e.CreateCondBr(is_regular(e, access), runs, gathered);
  e.SetInsertPoint(gathered);
  const std::vector<V> anyhow = load_anyhow(e, access);
  e.CreateBr(on);
  e.SetInsertPoint(runs);
  std::vector<V> values = load_runs(e, access);
  e.CreateBr(on);
  e.SetInsertPoint(on);
  for (unsigned c = 0; c < access.count; ++c) {
    llvm::PHINode* either = e.CreatePHI(values[c]->getType(), 2);
    either->addIncoming(values[c], runs);
    either->addIncoming(anyhow[c], gathered);
    values[c] = either;
  }
  return values;
}

std::vector<V> load_fast(Emitter& e, const Access& access) {
  if (access.uniform) {
    std::vector<V> values;
    for (unsigned c = 0; c < access.count; ++c) {
      V at = host_address(e, access, e.getInt64(c * access.element));
      values.push_back(
          e.CreateAlignedLoad(e.integer(8 * access.element), at, llvm::Align(access.element)));
    }
    return values;
  }
  if (has_gathers(e, access)) return load_vectors(e, access);
  return goes_by_windows(e, access) ? load_windows(e, access) : load_runs(e, access);
}

std::vector<V> load_slow(Emitter& e, const Access& access) {
  call_access(e, access);
  llvm::Type* type = e.lanes_of(e.integer(8 * access.element));
  std::vector<V> values;
  for (unsigned c = 0; c < access.count; ++c) {
    V words = get_vector(e, e.lanes_of(e.getInt64Ty()), place_of_data(c));
    values.push_back(e.CreateTrunc(words, type));
  }
  if (!access.uniform) return values;
  for (V& value : values) value = in_first_lane(e, value, access.lanes);
  return values;
}

bool emit_param_load(Emitter& e, const Step& step) {
  const Operand& at = step.operands[1];
  const uint64_t bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  const bool inside =
      at.value + bytes * step.spelling().vector <= e.analysis.program->layout.param_bytes;
  if (step.spelling().space() != Space::kParam || at.kind != Value::Kind::kFixed || !inside)
    return false;
  mark_wait(e, step);
  V params = context_field(e, e.getPtrTy(), offsetof(WarpContext, params));
  uint64_t offset = at.value;
  for (const Operand& to : elements(e, step.operands[0])) {
    V value = load_invariant(e, e.integer(static_cast<unsigned>(8 * bytes)),
                             e.CreatePtrAdd(params, e.getInt64(offset)), 1);
    write(e, to, {value, nullptr}, step.variant->type[0].is_signed);
    offset += bytes;
  }
  return true;
}

// Bounds and record of an access whose bytes are not needed.
void emit_dropped_access(Emitter& e, const Step& step) {
  Access access =
      make_access(e, step, step.operands[static_cast<size_t>(std::countr_zero(step.still_reads))]);
  access.moves = false;
  if (!e.fast || !access.steady) return call_access(e, access);
  guess_in_bounds(e, access);
  if (access.is_store) note_write(e, access);
  mark_wait(e, step);
  record_access(e, access);
}

void tell_what_is_seen(Emitter& e, const Access& access, const std::vector<V>& values) {
  put_vector(e, all(e, access.full, 64), offsetof(WarpContext, address));
  for (unsigned c = 0; c < access.count; ++c)
    put_vector(e, extended(e, all(e, lane_value(values[c]), 8 * access.element), 64, false),
               place_of_data(c));
  call_runtime(e, "wl_jit_see", e.getVoidTy(), {e.getInt32(e.pc), access.lanes});
}

void store_runs(Emitter& e, const Access& access, const std::vector<V>& values) {
  const bool in_groups = access.count == 1 && access.element >= 4;
  const unsigned lanes = in_groups ? 64 / access.element : 32;
  V takes = e.as_bits(access.lanes);
  for (unsigned group = 0; group < 32 / lanes; ++group) {
    V base = pattern_field(e, access, e.getInt64Ty(), offsetof(Pattern, store_base) + 8 * group, 8);
    V data = part_of(e, values[0], group * lanes, lanes);
    V who = part_of(e, takes, group * lanes, lanes);
    if (access.count > 1) {
      who = for_each_element(e, takes, access.count);
      data = interleaved(e, values);
    }
    e.CreateMaskedStore(data, host_address(e, access, base), llvm::Align(access.element), who);
  }
}

void store_fast(Emitter& e, const Access& access, const std::vector<V>& values) {
  if (access.uniform) {  // the highest lane wins, as when lanes write one after the other
    V highest = e.CreateSub(
        e.getInt32(31),
        e.CreateIntrinsic(llvm::Intrinsic::ctlz, {e.getInt32Ty()}, {access.lanes, e.getTrue()}));
    for (unsigned c = 0; c < access.count; ++c) {
      V at = host_address(e, access, e.getInt64(c * access.element));
      e.CreateAlignedStore(e.CreateExtractElement(values[c], highest), at,
                           llvm::Align(access.element));
    }
    return;
  }
  Block runs = e.new_block("runs"), scattered = e.new_block("scattered"),
        on = e.new_block("stored");
  e.CreateCondBr(is_regular(e, access), runs, scattered);
  e.SetInsertPoint(scattered);
  for (unsigned c = 0; c < access.count; ++c) {
    e.CreateMaskedScatter(values[c], host_addresses(e, access, c * access.element),
                          llvm::Align(access.element), e.as_bits(access.lanes));
  }
  e.CreateBr(on);
  e.SetInsertPoint(runs);
  store_runs(e, access, values);
  e.CreateBr(on);
  e.SetInsertPoint(on);
}

void store_slow(Emitter& e, const Access& access, const std::vector<V>& values) {
  for (unsigned c = 0; c < access.count; ++c) {
    put_vector(e, extended(e, values[c], 64, false), place_of_data(c));
  }
  call_access(e, access);
}

}  // namespace

void emit_load(Emitter& e, const Step& step) {
  if (step.dropped) return emit_dropped_access(e, step);
  if (emit_param_load(e, step)) return;
  Access access = make_access(e, step, step.operands[1]);
  std::vector<V> values;
  if (e.fast && access.steady) {
    guess_there(e, access);
    guess_in_bounds(e, access);
    mark_wait(e, step);
    record_access(e, access);
    values = load_fast(e, access);
  } else {
    values = load_slow(e, access);
  }
  if (may_spin(step)) tell_what_is_seen(e, access, values);
  for (unsigned i = 0; i < access.count; ++i)
    write(e, elements(e, step.operands[0])[i], lane_value(values[i]),
          step.variant->type[0].is_signed);
}

void emit_store(Emitter& e, const Step& step) {
  if (step.dropped) return emit_dropped_access(e, step);
  Access access = make_access(e, step, step.operands[0]);
  if (e.analysis.polls) set_context_field(e, e.getInt32(1), offsetof(WarpContext, acted));
  std::vector<V> values;
  for (const Operand& from : elements(e, step.operands[1]))
    values.push_back(vector(e, from, 8 * access.element));
  if (!e.fast || !access.steady) return store_slow(e, access, values);
  guess_in_bounds(e, access);
  note_write(e, access);
  mark_wait(e, step);
  record_access(e, access);
  store_fast(e, access, values);
}

}  // namespace warpledger::exec::jit
