// Atomic operations of machine code.
#include <cstring>

#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/numeric/arithmetic.h"
#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// Both halves of a pair added.
uint64_t add_halves(numeric::Format format, uint64_t a, uint64_t b) {
  return (numeric::add(format, a & 0xffff, b & 0xffff) & 0xffff) |
         (numeric::add(format, a >> 16 & 0xffff, b >> 16 & 0xffff) & 0xffff) << 16;
}

uint64_t add_numbers(const Instruction& instruction, uint64_t a, uint64_t b) {
  const numeric::Mode mode{.ftz = instruction.has(M::kFTZ)};
  if (instruction.has(M::kF32)) return numeric::add(numeric::kF32, a, b, mode);
  if (instruction.has(M::kF64)) return numeric::add(numeric::kF64, a, b, mode);
  if (instruction.has(M::kF16x2)) return add_halves(numeric::kF16, a, b);
  if (instruction.has(M::kBF16V2)) return add_halves(numeric::kBf16, a, b);
  return a + b;
}

/// An mbarrier after one more arrival. Its upper word counts up to a change of bit 31, the phase;
/// its lower word is 2^30 less the arrivals of a phase, with which the count then begins again.
uint64_t arrived(uint64_t old) {
  constexpr uint32_t kCount = 0x7fff'ffff, kBias = 0x4000'0000;
  const auto expected = static_cast<uint32_t>(old);
  uint32_t upper = static_cast<uint32_t>(old >> 32) + 1;
  if ((upper & kCount) == 0) upper |= (expected + kBias) & kCount;
  return uint64_t{upper} << 32 | expected;
}

/// What memory holds after an operation with `value` on `old`.
uint64_t combined(const Instruction& instruction, size_t bytes, uint64_t old, uint64_t value) {
  const numeric::Integer type{static_cast<int>(8 * bytes),
                              instruction.has(M::kS32) || instruction.has(M::kS64)};
  if (instruction.has(M::kPOPC)) return old + 1;
  if (instruction.has(M::kARRIVE)) return arrived(old);
  if (instruction.has(M::kADD)) return add_numbers(instruction, old, value);
  if (instruction.has(M::kAND)) return old & value;
  if (instruction.has(M::kOR)) return old | value;
  if (instruction.has(M::kXOR)) return old ^ value;
  if (instruction.has(M::kMIN)) return numeric::smaller(type, old, value);
  if (instruction.has(M::kMAX)) return numeric::larger(type, old, value);
  if (instruction.has(M::kINC)) return old >= value ? 0 : old + 1;
  if (instruction.has(M::kDEC)) return old == 0 || old > value ? value : old - 1;
  return value;  // EXCH
}

/// The operand after the address, `further` behind it; zero where it is not written.
uint64_t operand_after(Lane& lane, const Instruction& instruction, size_t further) {
  const auto& operands = instruction.operands;
  const size_t at =
      static_cast<size_t>(&address_operand(instruction) - operands.data()) + 1 + further;
  if (at >= operands.size()) return 0;
  return update_width(instruction) == 8 ? lane.pair(operands[at]) : lane.word(operands[at]);
}

struct Update {
  uint64_t old = 0;
  bool swapped = false;
};

std::optional<Update> change(Lane& lane, const Instruction& instruction) {
  const size_t bytes = update_width(instruction);
  std::byte* at = find_bytes(lane, instruction, instruction.row->memory,
                             lane.address(address_operand(instruction)), bytes);
  if (at == nullptr) return {};
  Update update;
  std::memcpy(&update.old, at, bytes);
  const uint64_t first = operand_after(lane, instruction, 0);
  uint64_t value = 0;
  if (instruction.has(M::kCAS) || instruction.has(M::kCAST)) {
    update.swapped = update.old == first;
    value = update.swapped ? operand_after(lane, instruction, 1) : update.old;
  } else {
    value = combined(instruction, bytes, update.old, first);
  }
  std::memcpy(at, &value, bytes);
  return update;
}

}  // namespace

size_t update_width(const Instruction& instruction) {
  const bool wide = instruction.has(M::k64) || instruction.has(M::kF64) || instruction.has(M::kS64);
  return wide ? 8 : 4;
}

/// ATOMS.CAST.SPIN answers whether it has swapped, in a register or (sm_100 and later) a predicate;
/// the others the old value.
void update(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto done = change(lane, instruction);
  if (!done) return;
  const size_t at = is_predicate(operands[0]) ? 1 : 0;
  if (at == 1) lane.set_predicate(operands[0], !instruction.has(M::kCAST) || done->swapped);
  if (operands[at].kind != OperandKind::kRegister) return;
  if (instruction.has(M::kCAST)) return lane.set(operands[at], done->swapped ? 1 : 0);
  if (update_width(instruction) == 8) return lane.set_pair(operands[at], done->old);
  lane.set(operands[at], static_cast<uint32_t>(done->old));
}

void reduce_in_memory(Lane& lane, const Instruction& instruction) {
  static_cast<void>(change(lane, instruction));
}

}  // namespace warpledger::exec::machine
