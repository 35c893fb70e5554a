// Conversions of machine code.
#include "warpledger/exec/numeric/convert.h"

#include "warpledger/exec/machine/compare.h"
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using numeric::Format;
using numeric::Integer;

/// The integer type that the modifiers name; s32 where they name none.
Integer integer_of(const Instruction& instruction) {
  struct Name {
    M modifier;
    Integer type;
  };
  constexpr Name kNames[] = {{M::kU8, {8, false}},  {M::kS8, {8, true}},    {M::kU16, {16, false}},
                             {M::kS16, {16, true}}, {M::kU32, {32, false}}, {M::kU64, {64, false}},
                             {M::kS64, {64, true}}};
  for (const Name& name : kNames) {
    if (instruction.has(name.modifier)) return name.type;
  }
  return {32, true};
}

Format float_of(M modifier) {
  if (modifier == M::kF64) return numeric::kF64;
  if (modifier == M::kF16) return numeric::kF16;
  return modifier == M::kBF16 ? numeric::kBf16 : numeric::kF32;
}

/// The floating-point format that the modifiers name; f32 where they name none.
Format format_of(const Instruction& instruction) {
  if (instruction.has(M::kF64)) return numeric::kF64;
  return instruction.has(M::kF16) ? numeric::kF16 : numeric::kF32;
}

numeric::Conversion conversion_of(const Instruction& instruction) {
  const numeric::Mode mode = mode_of(instruction.modifiers);
  return {.round = {.rounding = mode.rounding, .satfinite = instruction.has(M::kSATFINITE)},
          .ftz = mode.ftz,
          .relu = mode.relu};
}

/// PACK_AB_MERGE_C: a, b of f32 as two bytes, a the upper one; above them the lower half of c.
uint32_t packed_bytes(Lane& lane, const Instruction& instruction, Format format) {
  const auto& operands = instruction.operands;
  const auto byte = [&](const Operand& operand) {
    return static_cast<uint32_t>(
        numeric::convert(format, numeric::kF32, lane.f32(operand), conversion_of(instruction)));
  };
  return lane.word(operands[3]) << 16 | byte(operands[1]) << 8 | byte(operands[2]);
}

/// UNPACK_B: the lower two bytes as halves.
uint32_t unpacked_bytes(Lane& lane, const Instruction& instruction, Format format) {
  const uint32_t bytes = lane.word(instruction.operands[1]);
  const auto half = [&](uint32_t byte) {
    return static_cast<uint32_t>(
        numeric::convert(numeric::kF16, format, byte & 0xff, conversion_of(instruction)));
  };
  return half(bytes >> 8) << 16 | half(bytes);
}

/// Which way F2I and FRND round to an integer.
numeric::Rounding integral_rounding(const Instruction& instruction) {
  if (instruction.has(M::kTRUNC)) return numeric::Rounding::kZero;
  if (instruction.has(M::kFLOOR)) return numeric::Rounding::kDown;
  return instruction.has(M::kCEIL) ? numeric::Rounding::kUp : numeric::Rounding::kNearestEven;
}

/// A source of that format; of half precision the upper half where the selector says so.
uint64_t source(Lane& lane, const Operand& operand, Format format, bool ftz) {
  if (format == numeric::kF64) return lane.f64(operand);
  if (format == numeric::kF32) {
    const uint32_t value = lane.f32(operand);
    return ftz ? numeric::flush(format, value) : value;
  }
  uint64_t value = lane.word(operand) >> (operand.selector == "H1_H1" ? 16 : 0) & 0xffff;
  if (operand.absolute) value &= 0x7fff;
  return operand.negated ? value ^ 0x8000 : value;
}

void set_bits(Lane& lane, const Operand& operand, int bits, uint64_t value) {
  if (bits == 64)
    lane.set_pair(operand, value);
  else
    lane.set(operand, static_cast<uint32_t>(value));
}

/// The bits of an integer source: bytes and halves by their selector.
uint64_t integer_source(Lane& lane, const Operand& operand, Integer type) {
  if (type.bits == 64) return lane.pair(operand);
  const uint32_t word = lane.integer(operand);
  const std::string& at = operand.selector;
  if (at == "B1") return word >> 8;
  if (at == "B2" || at == "H1" || at == "H1_H1") return word >> 16;
  return at == "B3" ? word >> 24 : word;
}

}  // namespace

void float_of_integer(Lane& lane, const Instruction& instruction) {
  const Integer type = integer_of(instruction);
  const Format format = format_of(instruction);
  const uint64_t value = integer_source(lane, instruction.operands[1], type);
  set_bits(lane, instruction.operands[0], format.bits(),
           numeric::from_integer(format, type, value, conversion_of(instruction)));
}

void float_of_word(Lane& lane, const Instruction& instruction) {
  lane.set(instruction.operands[0],
           static_cast<uint32_t>(numeric::from_integer(
               numeric::kF32, {32, !instruction.has(M::kU32)},
               lane.integer(instruction.operands[1]), conversion_of(instruction))));
}

void integer_of_float(Lane& lane, const Instruction& instruction) {
  const Integer type = integer_of(instruction);
  const Format format = format_of(instruction);
  const uint64_t value = source(lane, instruction.operands[1], format, instruction.has(M::kFTZ));
  set_bits(lane, instruction.operands[0], type.bits,
           numeric::to_integer(type, format, value, integral_rounding(instruction)));
}

void round_float(Lane& lane, const Instruction& instruction) {
  const Format format = format_of(instruction);
  const uint64_t value = source(lane, instruction.operands[1], format, instruction.has(M::kFTZ));
  set_bits(lane, instruction.operands[0], format.bits(),
           numeric::round_to_integral(format, value, integral_rounding(instruction)));
}

/// F2F.to.from
void convert_float(Lane& lane, const Instruction& instruction) {
  Format formats[2] = {numeric::kF32, numeric::kF32};
  size_t named = 0;
  for (const M one : instruction.modifiers.list()) {
    const bool names = one == M::kF64 || one == M::kF32 || one == M::kF16 || one == M::kBF16;
    if (names && named < 2) formats[named++] = float_of(one);
  }
  const uint64_t value =
      source(lane, instruction.operands[1], formats[1], instruction.has(M::kFTZ));
  set_bits(lane, instruction.operands[0], formats[0].bits(),
           numeric::convert(formats[0], formats[1], value, conversion_of(instruction)));
}

/// d = a, b of f32 as two halves, a the upper one; or bytes, packed and unpacked.
void pack_halves(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const Format bytes = instruction.has(M::kE5M2) ? numeric::kE5m2 : numeric::kE4m3;
  if (instruction.has(M::kPACKABMERGEC))
    return lane.set(operands[0], packed_bytes(lane, instruction, bytes));
  if (instruction.has(M::kUNPACKB))
    return lane.set(operands[0], unpacked_bytes(lane, instruction, bytes));
  const Format format = instruction.has(M::kBF16) ? numeric::kBf16 : numeric::kF16;
  const auto half = [&](const Operand& operand) {
    return static_cast<uint32_t>(
        numeric::convert(format, numeric::kF32, lane.f32(operand), conversion_of(instruction)));
  };
  lane.set(operands[0], half(operands[1]) << 16 | half(operands[2]));
}

/// I2I.to.S32.SAT
void narrow_integer(Lane& lane, const Instruction& instruction) {
  const Integer to = integer_of(instruction);
  lane.set(instruction.operands[0],
           static_cast<uint32_t>(numeric::convert_integer(to, {32, instruction.has(M::kS32)},
                                                          lane.integer(instruction.operands[1]),
                                                          instruction.has(M::kSAT))));
}

}  // namespace warpledger::exec::machine
