#include "warpledger/exec/machine/memory.h"

#include <fmt/core.h>

#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/machine/shared.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

std::byte* in_range(std::vector<std::byte>& all, uint64_t begin, uint64_t size, uint64_t at,
                    size_t bytes) {
  if (at > size || bytes > size - at || begin + size > all.size()) return nullptr;
  return all.data() + begin + at;
}

/// Of the lane's own block: what has a state space and not a generic address.
std::byte* own_bytes(Lane& lane, uint32_t at, size_t bytes) {
  Block* own = lane.context().block;
  const uint32_t rank = at >> kRankShift;
  if (rank != own->rank && rank != 0) return nullptr;
  return shared_bytes({own, at & kOffsetMask}, bytes);
}

std::byte* local_bytes(Lane& lane, uint64_t at, size_t bytes) {
  const uint64_t size = lane.context().loaded.local_bytes;
  std::vector<std::byte>& local = lane.context().warp->local;
  if (local.empty()) local.resize(size * kWarpSize);
  return in_range(local, static_cast<uint64_t>(lane.number()) * size, size, at, bytes);
}

std::byte* place(Lane& lane, MemoryClass memory, uint64_t address, size_t bytes) {
  const auto low = static_cast<uint32_t>(address);
  if (memory == MemoryClass::kShared) return own_bytes(lane, low, bytes);
  if (memory == MemoryClass::kLocal) return local_bytes(lane, low, bytes);
  if (address - kSharedWindow < kWindowBytes)
    return shared_bytes(find_shared(lane.context(), low), bytes);
  if (address - kLocalWindow < kWindowBytes) return local_bytes(lane, low, bytes);
  return lane.context().memory.find(address, bytes);
}

/// A value of fewer than four bytes, extended as the modifiers say.
uint32_t extended(const Instruction& instruction, size_t bytes, uint32_t value) {
  const bool is_signed = instruction.has(M::kS8) || instruction.has(M::kS16);
  return static_cast<uint32_t>(numeric::extend({static_cast<int>(8 * bytes), is_signed}, value));
}

}  // namespace

std::byte* find_bytes(Lane& lane, const Instruction& instruction, MemoryClass memory,
                      uint64_t address, size_t bytes) {
  if (address % bytes != 0) {
    lane.context().stop(fmt::format("{} accesses {} bytes at 0x{:x}, which is not a multiple of {}",
                                    instruction.text, bytes, address, bytes),
                        "misaligned-access");
    return nullptr;
  }
  std::byte* found = place(lane, memory, address, bytes);
  if (found == nullptr)
    lane.context().stop(fmt::format("{} accesses {} bytes at 0x{:x}: {}", instruction.text, bytes,
                                    address, lane.context().memory.explain(address, bytes)),
                        "out-of-bounds");
  return found;
}

std::byte* generic_bytes(Lane& lane, uint64_t address, size_t bytes) {
  return place(lane, MemoryClass::kGeneric, address, bytes);
}

const Operand& address_operand(const Instruction& instruction) {
  const Operand* found = nullptr;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kAddress) found = &operand;
  }
  WL_CHECK(found != nullptr);
  return *found;
}

size_t width_of(const Instruction& instruction) {
  if (instruction.has(M::k256)) return 32;
  if (instruction.has(M::k128)) return 16;
  if (instruction.has(M::k64)) return 8;
  if (instruction.has(M::kU16) || instruction.has(M::kS16)) return 2;
  return instruction.has(M::kU8) || instruction.has(M::kS8) ? 1 : 4;
}

CopySource copy_source(Lane& lane, const Instruction& instruction) {
  const uint64_t address = lane.address(address_operand(instruction));
  const size_t bytes = width_of(instruction);
  const size_t zeros = instruction.has(M::kZFILL) ? address % bytes : 0;
  return {address - zeros, bytes - zeros};
}

void nothing(Lane&, const Instruction&) {}

namespace {

constexpr size_t kMostWords = 8, kQuad = 4;

/// Word `i` of what a load or store moves. .256 names two registers, of four words each: a store
/// the lower ones first, a load the upper ones.
struct Word {
  const Operand& operand;
  int number;
};
Word stored_word(const Instruction& instruction, size_t first, size_t i) {
  return {instruction.operands[first + i / kQuad], static_cast<int>(i % kQuad)};
}
Word loaded_word(const Instruction& instruction, size_t first, size_t i) {
  const size_t last = first + (instruction.has(M::k256) ? 1 : 0);
  return {instruction.operands[last - i / kQuad], static_cast<int>(i % kQuad)};
}

}  // namespace

/// A predicate before the destination says that the address was good.
void load(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t bytes = width_of(instruction);
  const size_t at = is_predicate(operands[0]) ? 1 : 0;
  const std::byte* from = find_bytes(lane, instruction, instruction.row->memory,
                                     lane.address(address_operand(instruction)), bytes);
  if (from == nullptr) return;
  uint32_t words[kMostWords] = {};
  std::memcpy(words, from, bytes);
  if (bytes < 4) words[0] = extended(instruction, bytes, words[0]);
  for (size_t i = 0; i < (bytes + 3) / 4; ++i) {
    const Word to = loaded_word(instruction, at, i);
    lane.set(to.operand, words[i], to.number);
  }
  if (at == 1) lane.set_predicate(operands[0], true);
}

void store(Lane& lane, const Instruction& instruction) {
  const size_t bytes = width_of(instruction);
  std::byte* to = find_bytes(lane, instruction, instruction.row->memory,
                             lane.address(address_operand(instruction)), bytes);
  if (to == nullptr) return;
  uint32_t words[kMostWords] = {};
  const size_t first = instruction.operands.size() - (instruction.has(M::k256) ? 2 : 1);
  for (size_t i = 0; i < (bytes + 3) / 4; ++i) {
    const Word from = stored_word(instruction, first, i);
    words[i] = lane.word(from.operand, from.number);
  }
  std::memcpy(to, words, bytes);
}

/// LDGSTS [shared], [global], predicate: read now, written when its group is waited for. Where the
/// predicate is false, zeros are written.
void copy_to_shared(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t bytes = width_of(instruction);
  const auto to = static_cast<uint32_t>(lane.address(operands[0]));
  if (find_bytes(lane, instruction, MemoryClass::kShared, to, bytes) == nullptr) return;
  Warp& warp = *lane.context().warp;
  const auto index = static_cast<size_t>(lane.number());
  LateWrite late{.address = to, .group = warp.copy_group[index], .bytes = static_cast<int>(bytes)};
  if (!is_predicate(operands.back()) || lane.predicate(operands.back())) {
    const CopySource source = copy_source(lane, instruction);
    const std::byte* from = generic_bytes(lane, source.address, source.bytes);
    if (from == nullptr || source.address % bytes != 0)
      from = find_bytes(lane, instruction, MemoryClass::kGeneric, source.address, bytes);
    if (from == nullptr) return;
    std::memcpy(late.data.data(), from, source.bytes);
  }
  warp.late[index].push_back(late);
}

void end_copy_group(Lane& lane, const Instruction&) {
  ++lane.context().warp->copy_group[static_cast<size_t>(lane.number())];
}

void finish_late_writes(Lane& lane, uint32_t groups) {
  auto& late = lane.context().warp->late[static_cast<size_t>(lane.number())];
  std::erase_if(late, [&](const LateWrite& one) {
    if (one.group >= groups) return false;
    std::memcpy(lane.context().block->shared.data() + (one.address & kOffsetMask), one.data.data(),
                static_cast<size_t>(one.bytes));
    return true;
  });
}

/// DEPBAR.LE SB0, n: at most n groups of copies are left, of LDGSTS and of bulk stores. ptxas makes
/// it of both waits; a kernel that has groups of both kinds waits for at least those it must.
void wait_for_copies(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.empty() || operands[0].text != "SB0") return;
  Warp& warp = *lane.context().warp;
  const auto index = static_cast<size_t>(lane.number());
  const uint32_t left = operands.size() > 1 ? operands[1].immediate : 0;
  const uint32_t groups = warp.copy_group[index];
  const uint32_t done = groups > left ? groups - left : 0;
  finish_late_writes(lane, done);
  finish_stores(warp.bulk[index], left);
}

/// Whether a generic address lies in shared (.S) or local (.L) memory, or, without either, in
/// neither.
void ask_space(Lane& lane, const Instruction& instruction) {
  const uint64_t address = lane.address(address_operand(instruction));
  const bool shared = address - kSharedWindow < kWindowBytes;
  const bool local = address - kLocalWindow < kWindowBytes;
  lane.set_predicate(instruction.operands[0], instruction.has(M::kS)   ? shared
                                              : instruction.has(M::kL) ? local
                                                                       : !shared && !local);
}

}  // namespace warpledger::exec::machine
