// UBLKCP and UBLKRED: contiguous bytes between global and shared memory, or from one block's shared
// memory to another's. Their last operand holds 16ths of the bytes, and above them the blocks that
// a multicast copy goes to. Groups of copies out of shared memory.
#include "warpledger/exec/machine/bulk_copy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/shared.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

constexpr uint64_t kStep = 16;

bool is_aligned(Context& context, const Instruction& instruction, uint64_t to, uint64_t from) {
  if (to % kStep == 0 && from % kStep == 0) return true;
  context.stop(fmt::format("{} copies from 0x{:x} to 0x{:x}: both must be multiples of 16",
                           instruction.text, from, to),
               "misaligned-access");
  return false;
}

/// `found`, or nothing and the launch is stopped.
std::byte* or_stop(Context& context, const Instruction& instruction, std::byte* found,
                   uint64_t address, uint64_t bytes) {
  if (found == nullptr)
    context.stop(fmt::format("{} accesses {} bytes at 0x{:x}: {}", instruction.text, bytes, address,
                             context.memory.explain(address, bytes)),
                 "out-of-bounds");
  return found;
}

/// Without a type: u32.
TypeInfo type_of(const Instruction& instruction) {
  static constexpr std::pair<M, ptx::Type> kTypes[] = {
      {M::kS32, ptx::Type::kS32}, {M::kU64, ptx::Type::kU64}, {M::k64, ptx::Type::kU64},
      {M::kS64, ptx::Type::kS64}, {M::kF16, ptx::Type::kF16}, {M::kBF16, ptx::Type::kBf16},
      {M::kF32, ptx::Type::kF32}, {M::kF64, ptx::Type::kF64}};
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& one) { return instruction.has(one.first); });
  return type_info(found == std::end(kTypes) ? ptx::Type::kU32 : found->second);
}

struct Operands {
  uint64_t to = 0, from = 0, bytes = 0;
  uint32_t mask = 0;
  bool to_shared = false, from_shared = false;
};
Operands operands_of(const Context& context, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto& spaces = instruction.modifiers.list();
  Operands all{.to_shared = spaces[0] == M::kS, .from_shared = spaces[1] == M::kS};
  const auto address = [&](const Operand& operand, bool is_shared) {
    return is_shared ? uniform_word(context, operand) : uniform_pair(context, operand);
  };
  all.to = address(operands[0], all.to_shared);
  all.from = address(operands[1], all.from_shared);
  const uint32_t size = uniform_word(context, operands[2]);
  all.bytes = kStep * (size & 0xffff);
  all.mask = size >> 16;
  return all;
}

std::byte* source_of(Context& context, const Instruction& instruction, const Operands& all) {
  const auto low = static_cast<uint32_t>(all.from);
  std::byte* found = all.from_shared ? shared_bytes(find_shared(context, low), all.bytes)
                                     : context.memory.find(all.from, all.bytes);
  return or_stop(context, instruction, found, all.from, all.bytes);
}

void load(Context& context, const Instruction& instruction, const Operands& all) {
  const std::byte* from = source_of(context, instruction, all);
  if (from == nullptr) return;
  const auto to = static_cast<uint32_t>(all.to);
  CopyLoad copy{.pieces = {{to & kOffsetMask, 0, static_cast<uint32_t>(all.bytes)}},
                .data = std::make_shared<const std::vector<std::byte>>(from, from + all.bytes),
                .transactions = static_cast<uint32_t>(all.bytes),
                .barrier = uniform_word(context, instruction.operands[0], 1),
                .ranks = 1U << (to >> kRankShift),
                .multicast = instruction.has(M::kMULTICAST)};
  if (copy.multicast) copy.ranks = all.mask;
  start_load(context, instruction, copy);
  if (!all.from_shared) context.recorder->note_run(context, instruction, 0, all.from, all.bytes);
  if (all.from_shared) context.recorder->note_run(context, instruction, 1, all.from, all.bytes);
  for (int i = 0; i < __builtin_popcount(copy.ranks); ++i)
    context.recorder->note_run(context, instruction, 1, to, all.bytes);
}

void store(Context& context, const Instruction& instruction, Lanes lanes, const Operands& all,
           bool reduces) {
  std::byte* to = context.memory.find(all.to, all.bytes);
  if (or_stop(context, instruction, to, all.to, all.bytes) == nullptr) return;
  const std::byte* from = source_of(context, instruction, all);
  if (from == nullptr) return;
  const TypeInfo type = type_of(instruction);
  const ptx::Modifier operation = operation_of(instruction);
  start_store(context, lanes, [=, bytes = all.bytes] {
    if (reduces)
      reduce_bytes(type, operation, to, from, bytes);
    else
      std::copy_n(from, bytes, to);
  });
  context.recorder->note_run(context, instruction, 0, all.to, all.bytes);
  context.recorder->note_run(context, instruction, 1, all.from, all.bytes);
}

/// Into a peer's shared memory: the sum is computed at once, the mbarrier gets the bytes.
void reduce_shared(Context& context, const Instruction& instruction, const Operands& all) {
  const SharedPlace place = find_shared(context, static_cast<uint32_t>(all.to));
  std::byte* to = or_stop(context, instruction, shared_bytes(place, all.bytes), all.to, all.bytes);
  const std::byte* from = source_of(context, instruction, all);
  if (to == nullptr || from == nullptr) return;
  const PhasePlace barrier =
      find_phase(context, instruction, uniform_word(context, instruction.operands[0], 1));
  if (barrier.owner == nullptr) return;
  reduce_bytes(type_of(instruction), operation_of(instruction), to, from, all.bytes);
  Phase phase = load_phase(barrier);
  phase.transactions -= static_cast<int32_t>(all.bytes);
  store_phase(barrier, phase);
  context.recorder->note_run(context, instruction, 1, all.from, all.bytes);
}

}  // namespace

uint32_t uniform_word(const Context& context, const Operand& operand, uint32_t further) {
  const int16_t named =
      operand.kind == OperandKind::kUniform ? static_cast<int16_t>(operand.index) : operand.uniform;
  if (named == kZeroRegister || named == kNoRegister) return 0;
  return context.warp->uniform[(static_cast<uint32_t>(named) + further) % kUniformRegisters];
}

uint64_t uniform_pair(const Context& context, const Operand& operand) {
  return uniform_word(context, operand) | uint64_t{uniform_word(context, operand, 1)} << 32;
}

void start_load(Context& context, const Instruction& instruction, const CopyLoad& load) {
  for (uint32_t rank = 0; rank < 32 && !context.fault; ++rank) {
    if ((load.ranks >> rank & 1) == 0) continue;
    Block* to = find_peer(context, rank);
    const bool fits = std::all_of(load.pieces.begin(), load.pieces.end(), [&](const auto& piece) {
      return shared_bytes({to, piece.to}, piece.bytes) != nullptr;
    });
    if (!fits)
      return context.stop(fmt::format("{} writes outside of the shared memory of block {} of the "
                                      "cluster",
                                      instruction.text, rank),
                          "out-of-bounds");
    const uint32_t own = load.barrier & kOffsetMask;
    const uint32_t told = load.of_pair ? (rank & ~1U) | (load.barrier >> kRankShift & 1) : rank;
    const PhasePlace place =
        find_phase(context, instruction, load.multicast ? told << kRankShift | own : load.barrier);
    if (place.owner == nullptr) return;
    if (load_phase(place).expected == 0)
      return context.stop(
          instruction.text + ": the mbarrier was never initialized, or was invalidated",
          "bad-mbarrier");
    place.owner->arriving.push_back(
        {place.offset, rank, load.transactions, load.pieces, load.data});
    ++place.owner->cluster->events;
  }
}

ptx::Modifier operation_of(const Instruction& instruction) {
  static constexpr std::pair<M, ptx::Modifier> kOperations[] = {
      {M::kADD, ptx::Modifier::kAdd}, {M::kMIN, ptx::Modifier::kMin},
      {M::kMAX, ptx::Modifier::kMax}, {M::kINC, ptx::Modifier::kInc},
      {M::kDEC, ptx::Modifier::kDec}, {M::kAND, ptx::Modifier::kAnd},
      {M::kOR, ptx::Modifier::kOr},   {M::kXOR, ptx::Modifier::kXor}};
  const auto* found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](const auto& one) { return instruction.has(one.first); });
  return found == std::end(kOperations) ? ptx::Modifier::kAdd : found->second;
}

void start_store(Context& context, Lanes lanes, LateStore store) {
  const auto first = static_cast<size_t>(__builtin_ctz(lanes));
  context.warp->bulk[first].open.push_back(std::move(store));
}

void finish_stores(BulkGroups& bulk, size_t left) {
  if (bulk.groups.size() <= left) return;
  const auto end = bulk.groups.end() - static_cast<std::ptrdiff_t>(left);
  for (auto group = bulk.groups.begin(); group != end; ++group)
    for (const LateStore& store : *group) store();
  bulk.groups.erase(bulk.groups.begin(), end);
}

void finish_all_stores(Block& block) {
  for (Warp& warp : block.warps) {
    for (BulkGroups& bulk : warp.bulk) {
      finish_stores(bulk, 0);
      for (const LateStore& store : bulk.open) store();
      bulk.open.clear();
    }
  }
}

void copy_bulk(Context& context, const Instruction& instruction, Lanes lanes) {
  const bool reduces = instruction.row->opcode == "UBLKRED";
  const Operands all = operands_of(context, instruction);
  if (!is_aligned(context, instruction, all.to, all.from)) return;
  if (!all.to_shared) return store(context, instruction, lanes, all, reduces);
  if (reduces) return reduce_shared(context, instruction, all);
  load(context, instruction, all);
}

/// STAS [R4.64], R8: to the address in R4, and its bytes to the mbarrier at the one in R5.
void store_remotely(Lane& lane, const Instruction& instruction) {
  Context& context = lane.context();
  const auto bytes = static_cast<uint32_t>(width_of(instruction));
  const uint64_t both = lane.address(instruction.operands[0]);
  const auto to = static_cast<uint32_t>(both), barrier = static_cast<uint32_t>(both >> 32);
  std::vector<std::byte> data(bytes);
  for (uint32_t i = 0; i < bytes / 4; ++i) {
    const uint32_t word = lane.word(instruction.operands[1], static_cast<int>(i));
    std::memcpy(data.data() + size_t{4} * i, &word, sizeof word);
  }
  start_load(context, instruction,
             {.pieces = {{to & kOffsetMask, 0, bytes}},
              .data = std::make_shared<const std::vector<std::byte>>(std::move(data)),
              .transactions = bytes,
              .barrier = barrier,
              .ranks = 1U << (to >> kRankShift)});
}

/// UGETNEXTWORKID [answer], [mbarrier]: whether a cluster that has not begun may be taken over.
/// Here the answer is always that there is none (interpreter/async/run_launch_control.cpp says
/// why).
void ask_for_work(Context& context, const Instruction& instruction, Lanes) {
  const uint32_t to = uniform_word(context, instruction.operands[0]);
  if (to % kStep != 0)
    return context.stop(instruction.text + ": the answer is not aligned to 16 bytes",
                        "misaligned-access");
  CopyLoad answer{.pieces = {{to & kOffsetMask, 0, static_cast<uint32_t>(kStep)}},
                  .data = std::make_shared<const std::vector<std::byte>>(kStep),
                  .transactions = kStep,
                  .barrier = uniform_word(context, instruction.operands[1]),
                  .ranks = 1U << (to >> kRankShift),
                  .multicast = instruction.has(M::kBROADCAST)};
  if (answer.multicast) answer.ranks = (1U << context.loaded.cluster_blocks()) - 1;
  start_load(context, instruction, answer);
}

void end_bulk_group(Lane& lane, const Instruction&) {
  BulkGroups& bulk = lane.context().warp->bulk[static_cast<size_t>(lane.number())];
  bulk.groups.push_back(std::exchange(bulk.open, {}));
}

}  // namespace warpledger::exec::machine
