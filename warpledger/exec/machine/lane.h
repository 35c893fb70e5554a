// One lane of a warp as an instruction sees it: operands read with their signs, results written.
#pragma once

#include "warpledger/exec/machine/state.h"

namespace warpledger::exec::machine {

class Lane {
 public:
  Lane(Context& context, int lane) : context_(context), warp_(*context.warp), lane_(lane) {}

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] int number() const { return lane_; }

  /// The 32-bit word `word` of an operand as it stands, without signs.
  [[nodiscard]] uint32_t word(const Operand& operand, int word = 0);
  [[nodiscard]] uint64_t pair(const Operand& operand) {
    return word(operand) | uint64_t{word(operand, 1)} << 32;
  }
  /// With -, | | and ~ as integers have them; immediates are printed with their sign.
  [[nodiscard]] uint32_t integer(const Operand& operand);
  /// The same of 64 bits, for instructions of that width.
  [[nodiscard]] uint64_t wide(const Operand& operand);
  /// With - and | | as floating-point numbers have them.
  [[nodiscard]] uint32_t f32(const Operand& operand);
  [[nodiscard]] uint64_t f64(const Operand& operand);
  [[nodiscard]] bool predicate(const Operand& operand) const;

  void set(const Operand& operand, uint32_t value, int word = 0);
  void set_pair(const Operand& operand, uint64_t value) {
    set(operand, static_cast<uint32_t>(value));
    set(operand, static_cast<uint32_t>(value >> 32), 1);
  }
  void set_predicate(const Operand& operand, bool value);

  /// The address of an operand in brackets.
  [[nodiscard]] uint64_t address(const Operand& operand);

 private:
  [[nodiscard]] uint32_t constant(const Operand& operand, int word);

  Context& context_;
  Warp& warp_;
  int lane_;
};

[[nodiscard]] inline bool is_predicate(const Operand& operand) {
  return operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kUniformPredicate;
}

/// `bytes` <= 8 of constant bank `bank`; 0 beyond its end, as the driver leaves it.
[[nodiscard]] uint64_t read_bank(const Context& context, int bank, uint64_t offset, size_t bytes);

}  // namespace warpledger::exec::machine
