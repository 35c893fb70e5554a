// Integer arithmetic of machine code.
#include "warpledger/exec/numeric/integer.h"

#include <algorithm>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// Operands from `at` on: predicates that come before the sources are results.
size_t first_source(const Instruction& instruction) {
  size_t at = 1;
  while (at < instruction.operands.size() && is_predicate(instruction.operands[at])) ++at;
  return at;
}

/// A source of an addition modulo 2^32: -x is ~x + 1, and with a carry coming in just ~x.
uint64_t addend(Lane& lane, const Operand& operand, bool has_carry) {
  const uint32_t value = lane.word(operand);
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.negated) return uint64_t{~value} + (has_carry ? 0 : 1);
  return operand.inverted ? ~value : value;
}

bool ordered(M how, int64_t a, int64_t b) {
  switch (how) {
    case M::kLT:
      return a < b;
    case M::kLE:
      return a <= b;
    case M::kGT:
      return a > b;
    case M::kGE:
      return a >= b;
    case M::kEQ:
      return a == b;
    case M::kNE:
      return a != b;
    default:
      return how == M::kT;
  }
}

struct Product {
  uint64_t value;
  bool carry;
};

/// a * b + c of 64 bits; of IMAD.HI, too, c is a pair of registers.
Product multiply_wide(Lane& lane, const Instruction& instruction, size_t at, bool carry) {
  const Operand &a = instruction.operands[at], &b = instruction.operands[at + 1],
                &c = instruction.operands[at + 2];
  const numeric::Integer type{32, !instruction.has(M::kU32)};
  uint64_t product = numeric::mul_wide(type, lane.word(a), lane.integer(b));
  if (a.negated && a.kind != OperandKind::kImmediate) product = -product;
  uint64_t addend = lane.pair(c);
  if (c.kind == OperandKind::kImmediate) {
    addend = type.is_signed ? lane.pair(c) : lane.word(c);
  } else if (c.inverted || (c.negated && instruction.has(M::kX))) {
    addend = ~addend;
  } else if (c.negated) {
    addend = -addend;
  }
  const auto sum = static_cast<numeric::uint128>(product) + addend + (carry ? 1 : 0);
  return {static_cast<uint64_t>(sum), (sum >> 64) != 0};
}

Product multiply_low(Lane& lane, const Instruction& instruction, size_t at, bool carry) {
  const Operand& c = instruction.operands[at + 2];
  const uint32_t product =
      lane.integer(instruction.operands[at]) * lane.integer(instruction.operands[at + 1]);
  uint32_t addend = lane.word(c);
  if (c.kind != OperandKind::kImmediate) {
    if (c.inverted || (c.negated && instruction.has(M::kX)))
      addend = ~addend;
    else if (c.negated)
      addend = -addend;
  }
  const uint64_t sum = uint64_t{product} + addend + (carry ? 1 : 0);
  return {sum, (sum >> 32) != 0};
}

}  // namespace

/// d, carry = a + b [+ c] of 64 bits, with .X the carry of another.
void add_wide(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t at = first_source(instruction);
  numeric::uint128 sum = 0;
  for (size_t i = at; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    if (is_predicate(operand)) {
      sum += instruction.has(M::kX) && lane.predicate(operand) ? 1 : 0;
    } else if (operand.negated && operand.kind != OperandKind::kImmediate) {
      sum += ~lane.pair(operand);
      sum += 1;
    } else {
      sum += lane.wide(operand);
    }
  }
  lane.set_pair(operands[0], static_cast<uint64_t>(sum));
  for (size_t i = 1; i < at; ++i) lane.set_predicate(operands[i], sum >> 64 >= i);
}

/// d, carries = a + b + c + carries in.
void add3(Lane& lane, const Instruction& instruction) {
  if (instruction.has(M::k64)) return add_wide(lane, instruction);
  const auto& operands = instruction.operands;
  const size_t at = first_source(instruction);
  const bool has_carry = instruction.has(M::kX);
  uint64_t sum = 0;
  for (size_t i = at; i < at + 3; ++i) sum += addend(lane, operands[i], has_carry);
  for (size_t i = at + 3; has_carry && i < operands.size(); ++i)
    sum += lane.predicate(operands[i]) ? 1 : 0;
  lane.set(operands[0], static_cast<uint32_t>(sum));
  for (size_t i = 1; i < at; ++i) lane.set_predicate(operands[i], sum >> 32 >= i);
}

void multiply_add(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t at = first_source(instruction);
  const bool carry =
      instruction.has(M::kX) && operands.size() > at + 3 && lane.predicate(operands[at + 3]);
  const bool is_wide = instruction.has(M::kWIDE), is_high = instruction.has(M::kHI);
  const Product product = is_wide || is_high ? multiply_wide(lane, instruction, at, carry)
                                             : multiply_low(lane, instruction, at, carry);
  if (is_wide)
    lane.set_pair(operands[0], product.value);
  else
    lane.set(operands[0], static_cast<uint32_t>(is_high ? product.value >> 32 : product.value));
  if (at > 1) lane.set_predicate(operands[1], product.carry);
}

/// d = (a << n) + b; of .HI the upper word of the pair c:a shifted, or of a with its sign.
void shift_add(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t at = first_source(instruction);
  const bool is_high = instruction.has(M::kHI), sign_extends = instruction.has(M::kSX32);
  const Operand &a = operands[at], &b = operands[at + 1];
  size_t next = at + 2;
  uint64_t value = lane.word(a);
  if (sign_extends) value = static_cast<uint64_t>(static_cast<int32_t>(value));
  if (is_high && !sign_extends) value |= uint64_t{lane.word(operands[next++])} << 32;
  const uint32_t by = operands[next++].immediate & 31;
  auto shifted = static_cast<uint32_t>(is_high ? value << by >> 32 : value << by);
  const bool has_carry = instruction.has(M::kX);
  uint64_t sum =
      a.negated || a.inverted ? uint64_t{~shifted} + (has_carry || a.inverted ? 0 : 1) : shifted;
  sum += addend(lane, b, has_carry);
  if (has_carry && next < operands.size()) sum += lane.predicate(operands[next]) ? 1 : 0;
  lane.set(operands[0], static_cast<uint32_t>(sum));
  if (at > 1) lane.set_predicate(operands[1], (sum >> 32) != 0);
}

void absolute(Lane& lane, const Instruction& instruction) {
  const uint32_t value = lane.integer(instruction.operands[1]);
  lane.set(instruction.operands[0], static_cast<int32_t>(value) < 0 ? -value : value);
}

/// d = a + b; of .U8x4 byte by byte.
void add2(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const uint32_t a = lane.word(operands[1]), b = lane.word(operands[2]);
  if (!instruction.has(M::kU8x4))
    return lane.set(operands[0], lane.integer(operands[1]) + lane.integer(operands[2]));
  uint32_t bytes = 0;
  for (int at = 0; at < 32; at += 8) {
    const uint32_t x = operands[1].negated ? -(a >> at) : a >> at;
    const uint32_t y = operands[2].negated ? -(b >> at) : b >> at;
    bytes |= ((x + y) & 255) << at;
  }
  lane.set(operands[0], bytes);
}

namespace {

bool compare_wide(Lane& lane, const Instruction& instruction, M how) {
  const uint64_t sign = instruction.has(M::kU64) ? uint64_t{1} << 63 : 0;
  return ordered(how, static_cast<int64_t>(lane.wide(instruction.operands[2]) ^ sign),
                 static_cast<int64_t>(lane.wide(instruction.operands[3]) ^ sign));
}

}  // namespace

/// .EX compares the upper halves: where they are equal the lower halves' result decides.
void compare_integers(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const M how = instruction.modifiers.list()[0];
  if (instruction.has(M::kU64) || instruction.has(M::kS64))
    return set_combined(lane, instruction, compare_wide(lane, instruction, how));
  const uint32_t a = lane.integer(operands[2]), b = lane.integer(operands[3]);
  bool result = instruction.has(M::kU32)
                    ? ordered(how, a, b)
                    : ordered(how, static_cast<int32_t>(a), static_cast<int32_t>(b));
  if (instruction.has(M::kEX) && a == b && how != M::kT && how != M::kF)
    result = lane.predicate(operands[5]);
  set_combined(lane, instruction, result);
}

void dot_bytes(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::vector<bool> is_signed;
  for (const M modifier : instruction.modifiers.list()) {
    if (modifier == M::kS8 || modifier == M::kS16) is_signed.push_back(true);
    if (modifier == M::kU8 || modifier == M::kU16) is_signed.push_back(false);
  }
  is_signed.resize(2, is_signed.empty() || is_signed[0]);
  const uint32_t a = lane.word(operands[1]), b = lane.word(operands[2]), c = lane.word(operands[3]);
  lane.set(operands[0], instruction.has(M::k4A) ? numeric::dot4(is_signed[0], is_signed[1], a, b, c)
                                                : numeric::dot2(is_signed[0], is_signed[1],
                                                                instruction.has(M::kHI), a, b, c));
}

void difference(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const numeric::Integer type{32, !instruction.has(M::kU32)};
  lane.set(operands[0], static_cast<uint32_t>(numeric::sad(type, lane.integer(operands[1]),
                                                           lane.integer(operands[2]),
                                                           lane.integer(operands[3]))));
}

/// |a - b| of each byte; .ACC adds them up.
void byte_differences(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const numeric::Integer type{8, !instruction.has(M::kU8)};
  const uint32_t a = lane.word(operands[1]), b = lane.word(operands[2]);
  uint32_t sum = lane.word(operands[3]), bytes = 0;
  for (int at = 0; at < 32; at += 8) {
    const auto one = static_cast<uint32_t>(numeric::sad(
        {32, true}, numeric::extend(type, a >> at & 255), numeric::extend(type, b >> at & 255), 0));
    sum += one;
    bytes |= (one & 255) << at;
  }
  lane.set(operands[0], instruction.has(M::kACC) ? sum : bytes + lane.word(operands[3]));
}

}  // namespace warpledger::exec::machine
