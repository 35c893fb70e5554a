#include "warpledger/exec/machine/lane.h"

#include <cstring>

namespace warpledger::exec::machine {
namespace {

constexpr uint32_t kSign = 0x8000'0000;
constexpr uint64_t kSign64 = uint64_t{1} << 63;

/// Whether an address has that register, and it is not the one that is always zero.
bool counts(int16_t index) { return index != kNoRegister && index != kZeroRegister; }

}  // namespace

uint64_t read_bank(const Context& context, int bank, uint64_t offset, size_t bytes) {
  if (bank >= kBanks) return 0;
  return sass::read_number(context.loaded.banks[static_cast<size_t>(bank)], offset, bytes);
}

uint32_t Lane::constant(const Operand& operand, int word) {
  uint64_t at = static_cast<uint64_t>(operand.offset) + 4 * static_cast<uint64_t>(word);
  const auto lane = static_cast<size_t>(lane_);
  if (counts(operand.base))
    at += warp_.registers[static_cast<size_t>(operand.base) * kWarpSize + lane];
  if (counts(operand.uniform)) at += warp_.uniform[static_cast<size_t>(operand.uniform)];
  return static_cast<uint32_t>(read_bank(context_, operand.bank, static_cast<uint32_t>(at), 4));
}

uint32_t Lane::word(const Operand& operand, int word) {
  const auto index = static_cast<size_t>(operand.index + word);
  switch (operand.kind) {
    case OperandKind::kRegister:
      if (operand.index == kZeroRegister) return 0;
      return warp_.registers[index * kWarpSize + static_cast<size_t>(lane_)];
    case OperandKind::kUniform:
      return operand.index == kZeroRegister ? 0 : warp_.uniform[index % kUniformRegisters];
    case OperandKind::kConstant:
      return constant(operand, word);
    case OperandKind::kImmediate:
      if (word == 0) return operand.immediate;
      return (operand.immediate & kSign) != 0 ? ~0U : 0;
    default:
      return 0;
  }
}

uint32_t Lane::integer(const Operand& operand) {
  uint32_t value = word(operand);
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.absolute && (value & kSign) != 0) value = -value;
  if (operand.inverted) value = ~value;
  return operand.negated ? -value : value;
}

uint64_t Lane::wide(const Operand& operand) {
  if (operand.kind == OperandKind::kImmediate)
    return operand.immediate | uint64_t{operand.upper} << 32;
  uint64_t value = pair(operand);
  if (operand.inverted) value = ~value;
  return operand.negated ? -value : value;
}

uint32_t Lane::f32(const Operand& operand) {
  uint32_t value = word(operand);
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.absolute) value &= ~kSign;
  return operand.negated ? value ^ kSign : value;
}

uint64_t Lane::f64(const Operand& operand) {
  if (operand.kind == OperandKind::kImmediate) return uint64_t{operand.immediate} << 32;
  uint64_t value = pair(operand);
  if (operand.absolute) value &= ~kSign64;
  return operand.negated ? value ^ kSign64 : value;
}

bool Lane::predicate(const Operand& operand) const {
  const bool is_uniform = operand.kind == OperandKind::kUniformPredicate;
  const bool value = operand.index == kTruePredicate ||
                     (is_uniform ? warp_.uniform_predicates >> operand.index & 1
                                 : warp_.predicates[operand.index] >> lane_ & 1) != 0;
  return value != operand.inverted;
}

void Lane::set(const Operand& operand, uint32_t value, int word) {
  if (operand.index == kZeroRegister) return;
  const auto index = static_cast<size_t>(operand.index + word);
  if (operand.kind == OperandKind::kUniform) {
    warp_.uniform[index % kUniformRegisters] = value;
  } else if (operand.kind == OperandKind::kRegister) {
    warp_.registers[index * kWarpSize + static_cast<size_t>(lane_)] = value;
  }
}

void Lane::set_predicate(const Operand& operand, bool value) {
  if (operand.index == kTruePredicate) return;
  const bool is_uniform = operand.kind == OperandKind::kUniformPredicate;
  uint32_t& bits = is_uniform ? warp_.uniform_predicates : warp_.predicates[operand.index];
  const uint32_t bit = 1U << (is_uniform ? operand.index : lane_);
  bits = value ? bits | bit : bits & ~bit;
}

uint64_t Lane::address(const Operand& operand) {
  const Operand base{.kind = OperandKind::kRegister, .index = static_cast<uint8_t>(operand.base)};
  const Operand uniform{.kind = OperandKind::kUniform,
                        .index = static_cast<uint8_t>(operand.uniform)};
  uint64_t at = 0;
  if (counts(operand.base)) at = (operand.wide ? pair(base) : word(base)) * operand.scale;
  if (counts(operand.uniform))
    at += operand.wide || operand.base_is_32 ? pair(uniform) : word(uniform);
  return at + static_cast<uint64_t>(operand.offset);
}

}  // namespace warpledger::exec::machine
