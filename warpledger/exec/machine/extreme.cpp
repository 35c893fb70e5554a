// Minima and maxima of integers: of two, of three, of a sum; of words, of pairs of halves, of
// bytes, of 64 bits. A predicate says which: where it holds, the smaller.
#include <fmt/core.h>

#include <utility>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

numeric::Integer element_of(const Instruction& instruction) {
  if (instruction.has(M::kU8x4)) return {8, false};
  if (instruction.has(M::kU16x2) || instruction.has(M::kS16x2))
    return {16, instruction.has(M::kS16x2)};
  if (instruction.has(M::kU64) || instruction.has(M::kS64)) return {64, instruction.has(M::kS64)};
  return {32, !instruction.has(M::kU32)};
}

/// Element by element of two words. .RELU: nothing below zero.
uint32_t extreme_of(const Instruction& instruction, bool is_min, uint32_t a, uint32_t b) {
  const numeric::Integer type = element_of(instruction);
  const uint32_t mask = type.bits == 32 ? ~0U : (1U << type.bits) - 1;
  uint32_t all = 0;
  for (int at = 0; at < 32; at += type.bits) {
    const uint32_t x = a >> at & mask, y = b >> at & mask;
    uint64_t one = is_min ? numeric::smaller(type, x, y) : numeric::larger(type, x, y);
    if (instruction.has(M::kRELU)) one = numeric::larger(type, one, 0);
    all |= (static_cast<uint32_t>(one) & mask) << at;
  }
  return all;
}

/// What the predicates among the results tell is not known: ptxas names none but PT.
bool has_results(const Instruction& instruction, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    if (instruction.operands[i].index != kTruePredicate) return true;
  }
  return false;
}

void refuse(Lane& lane, const Instruction& instruction) {
  Diagnostic why;  // not as an aggregate: gcc 12 then takes the absent location for uninitialized
  why.message = fmt::format("{} is not supported", instruction.text);
  why.code = "unsupported-opcode";
  lane.context().stop(std::move(why));
}

/// IMNMX.S64 p, p, d, a, b, which, !PT.
void extreme_wide(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (has_results(instruction, 0, 2) || has_results(instruction, 6, operands.size()))
    return refuse(lane, instruction);
  const numeric::Integer type = element_of(instruction);
  const uint64_t a = lane.wide(operands[3]), b = lane.wide(operands[4]);
  lane.set_pair(operands[2], lane.predicate(operands[5]) ? numeric::smaller(type, a, b)
                                                         : numeric::larger(type, a, b));
}

}  // namespace

/// d, a, b, which; sm_100 names two predicates before the sources.
void extreme(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (element_of(instruction).bits == 64) return extreme_wide(lane, instruction);
  size_t at = 1;
  while (at < operands.size() && is_predicate(operands[at])) ++at;
  if (has_results(instruction, 1, at)) return refuse(lane, instruction);
  lane.set(operands[0], extreme_of(instruction, lane.predicate(operands[at + 2]),
                                   lane.integer(operands[at]), lane.integer(operands[at + 1])));
}

void extreme3(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool is_min = lane.predicate(operands[4]);
  const uint32_t first =
      extreme_of(instruction, is_min, lane.integer(operands[1]), lane.integer(operands[2]));
  lane.set(operands[0], extreme_of(instruction, is_min, first, lane.integer(operands[3])));
}

/// Of a + b and c.
void extreme_of_sum(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], extreme_of(instruction, lane.predicate(operands[4]),
                                   lane.integer(operands[1]) + lane.integer(operands[2]),
                                   lane.integer(operands[3])));
}

}  // namespace warpledger::exec::machine
