// Bits of machine code: logic, shifts, permutations.
#include <algorithm>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec::machine {
namespace {
using M = Modifier;
}  // namespace

void set_combined(Lane& lane, const Instruction& instruction, bool result) {
  const auto& operands = instruction.operands;
  const bool other = lane.predicate(operands[4]);
  const auto combine = [&](bool value) {
    if (instruction.has(M::kOR)) return value || other;
    return instruction.has(M::kXOR) ? value != other : value && other;
  };
  lane.set_predicate(operands[0], combine(result));
  lane.set_predicate(operands[1], combine(!result));
}

/// d = table[a, b, c] bit by bit; a predicate before d says whether any bit is set.
void combine_bits(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t at = is_predicate(operands[0]) ? 1 : 0;
  const uint32_t value =
      numeric::lop3(lane.integer(operands[at + 1]), lane.integer(operands[at + 2]),
                    lane.integer(operands[at + 3]), operands[at + 4].immediate);
  if (at == 1) {
    const bool other = operands.size() > 6 && lane.predicate(operands[6]);
    const bool any = value != 0;
    lane.set_predicate(operands[0], instruction.has(M::kPAND) ? any && other : any || other);
  }
  lane.set(operands[at], value);
}

void combine_predicates(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const int row = (lane.predicate(operands[2]) ? 4 : 0) + (lane.predicate(operands[3]) ? 2 : 0) +
                  (lane.predicate(operands[4]) ? 1 : 0);
  lane.set_predicate(operands[0], (operands[5].immediate >> row & 1) != 0);
  lane.set_predicate(operands[1], (operands[6].immediate >> row & 1) != 0);
}

/// The pair c:a shifted by b, its upper (.HI) or lower word. .W takes b modulo the width.
void funnel_shift(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool is_signed = instruction.has(M::kS32) || instruction.has(M::kS64);
  const uint32_t bits = instruction.has(M::kS64) || instruction.has(M::kU64) ? 64 : 32;
  uint32_t by = lane.integer(operands[2]);
  by = instruction.has(M::kW) ? by & (bits - 1) : std::min(by, bits);
  const uint64_t pair = uint64_t{lane.integer(operands[3])} << 32 | lane.integer(operands[1]);
  const uint64_t shifted = instruction.has(M::kR) ? numeric::shift_right({64, is_signed}, pair, by)
                                                  : numeric::shift_left(64, pair, by);
  lane.set(operands[0], static_cast<uint32_t>(instruction.has(M::kHI) ? shifted >> 32 : shifted));
}

void permute(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  numeric::Permute mode = numeric::Permute::kIndex;
  if (instruction.has(M::kF4E)) mode = numeric::Permute::kForward4;
  if (instruction.has(M::kB4E)) mode = numeric::Permute::kBackward4;
  if (instruction.has(M::kRC8)) mode = numeric::Permute::kReplicate8;
  if (instruction.has(M::kECL)) mode = numeric::Permute::kEdgeLeft;
  if (instruction.has(M::kECR)) mode = numeric::Permute::kEdgeRight;
  if (instruction.has(M::kRC16)) mode = numeric::Permute::kReplicate16;
  lane.set(operands[0],
           numeric::permute_bytes(mode, lane.integer(operands[1]), lane.integer(operands[3]),
                                  lane.integer(operands[2])));
}

void count_bits(Lane& lane, const Instruction& instruction) {
  lane.set(instruction.operands[0], numeric::count_ones(32, lane.integer(instruction.operands[1])));
}

void reverse(Lane& lane, const Instruction& instruction) {
  lane.set(instruction.operands[0],
           static_cast<uint32_t>(numeric::reverse_bits(32, lane.integer(instruction.operands[1]))));
}

void find_leading_one(Lane& lane, const Instruction& instruction) {
  const numeric::Integer type{32, !instruction.has(M::kU32)};
  lane.set(
      instruction.operands[0],
      numeric::find_leading(type, lane.integer(instruction.operands[1]), instruction.has(M::kSH)));
}

void extend_sign(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0],
           numeric::sign_or_zero_extend(!instruction.has(M::kU32), lane.integer(operands[1]),
                                        lane.integer(operands[2]), !instruction.has(M::kW)));
}

void make_mask(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], numeric::bit_mask(lane.integer(operands[1]), lane.integer(operands[2]),
                                          !instruction.has(M::kW)));
}

}  // namespace warpledger::exec::machine
