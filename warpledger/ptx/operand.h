// Operands and instructions: 24 and 36 bytes, plain indices, no pointers.
//
// A function keeps all its operands in one array. An instruction's operands are the
// `operand_count` entries from `first_operand` on; what an operand contains ({a, b}, d|p,
// [map, {x, y}], the lists of a call) are `count` entries from `index` on.
#pragma once

#include <cstdint>

#include "warpledger/base/source.h"

namespace warpledger::ptx {

enum class OperandKind : uint8_t {
  kNone,       // an absent part of a call
  kSink,       // _
  kRegister,   // index: register of the function; value: its RegisterRange
  kSpecial,    // index: SpecialRegister; value: number of %envreg, %pm
  kInteger,    // value: 64 bits, two's complement; is_unsigned(): written with U or above 2^63
  kFloat32,    // value: the 32 bits of 0f…
  kFloat64,    // value: the 64 bits of 0d… or of a decimal literal
  kVariable,   // index: variable of the module; value: byte offset. Its address
  kFunction,   // index: function of the module. Its address, or the callee
  kLabel,      // index: label of the function
  kTargets,    // index: TargetList of the function (.branchtargets, .calltargets)
  kPrototype,  // index: Prototype of the function (.callprototype)
  kAddressOfRegister,  // [%rd1+8]: index: register, value: byte offset (signed)
  kAddressOfVariable,  // [var+8]: index: variable, value: byte offset
  kAddressOfConstant,  // [16]: value: the address
  kVector,             // {a, b, …}: children
  kPair,               // d|p: two children
  kTensor,             // [a, b, {x, y}]: children; the first is a kAddressOf…
  kList,               // (a, b) of a call: children
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  uint8_t flags = 0;
  uint16_t selector = 0;  // 1..4: component; kSelect set: video selector; 0: none
  uint32_t index = 0;
  uint64_t value = 0;  // for operands with children: their count
  Span span = {};

  static constexpr uint8_t kNegated = 1;   // !p, or -a of vmad
  static constexpr uint8_t kUnsigned = 2;  // of kInteger
  static constexpr uint8_t kUnified = 4;   // [a].unified
  static constexpr uint8_t kMinus = 8;     // the negation is '-'
  static constexpr uint8_t kOffset =
      16;  // an offset is written, perhaps +0: ptxas -G tells them apart

  [[nodiscard]] bool is_negated() const { return (flags & kNegated) != 0; }
  [[nodiscard]] bool is_unsigned() const { return (flags & kUnsigned) != 0; }
  [[nodiscard]] int64_t offset() const { return static_cast<int64_t>(value); }
  [[nodiscard]] bool has_children() const { return kind >= OperandKind::kVector; }
  [[nodiscard]] bool is_address() const {
    return kind >= OperandKind::kAddressOfRegister && kind <= OperandKind::kAddressOfConstant;
  }
  /// 0..3 for .x .y .z .w (or .r .g .b .a); -1 without.
  [[nodiscard]] int component() const { return selector >= 1 && selector <= 4 ? selector - 1 : -1; }
};

/// Video selectors, .b2 .h1 .h10 .b3210: kSelect | kSelectHalves for .h | (digits - 1) << 12 | the
/// digits in octal, the last written one lowest.
inline constexpr uint16_t kSelect = 0x8000;
inline constexpr uint16_t kSelectHalves = 0x4000;

inline constexpr uint32_t kNoGuard = UINT32_MAX;

struct Instruction {
  Span span = {};
  uint32_t spelling = 0;  // of the module
  uint32_t first_operand = 0;
  uint16_t operand_count = 0;
  bool guard_negated = false;  // @!p
  uint32_t guard = kNoGuard;   // predicate register of @p
  uint32_t location = 0;       // 1 + index into Function::locations; 0: no .loc above it
};

}  // namespace warpledger::ptx
