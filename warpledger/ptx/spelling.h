// A Spelling is an opcode with its modifiers as written, `ld.global.v4.f32`, decoded once per
// module: instructions refer to it by index. An interpreter or a compiler decides on a Spelling
// what to do, and does it for every instruction that has it.
#pragma once

#include <array>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/ptx/form.h"

namespace warpledger::ptx {

enum class Space : uint8_t {
  kGeneric,
  kRegister,
  kConst,
  kGlobal,
  kLocal,
  kParam,
  kShared,         // of this CTA
  kSharedCluster,  // of a CTA of the cluster
  kTexture,
};
[[nodiscard]] std::string_view to_text(Space space);

/// m, n, k of a tensor-core shape, 0 where the word has none.
struct MatrixShape {
  uint16_t m = 0, n = 0, k = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct Spelling {
  static constexpr int kMostTypes = 6;
  static constexpr int kMostModifiers = 20;

  std::string_view text;       // in the source
  const Form* form = nullptr;  // never null after parsing
  uint8_t type_count = 0;
  uint8_t modifier_count = 0;
  uint8_t vector = 1;  // 2, 4, 8 for .v2 .v4 .v8
  std::array<Type, kMostTypes> types = {};
  std::array<Modifier, kMostModifiers> modifiers = {};  // as written, types left out
  std::array<Slot, kMostModifiers> slots = {};          // what each of them says
  MatrixShape shape = {};
  // The operands that this spelling may have, as indices into form->operands: those whose modifier
  // is absent are left out.
  std::array<uint8_t, Form::kMostOperands> operands = {};
  uint8_t most_operands = 0;
  uint8_t least_operands = 0;
  uint8_t last_operands = 0;  // how many must stand last: required ones after optional ones

  [[nodiscard]] Op op() const { return form->row->op; }
  [[nodiscard]] Tier tier() const { return form->row->tier; }
  [[nodiscard]] const OpcodeInfo& opcode() const { return info(op()); }

  /// The i-th type as written; kNone past the last.
  [[nodiscard]] Type type(int i = 0) const {
    return i < type_count ? types[size_t(i)] : Type::kNone;
  }
  [[nodiscard]] bool has(Modifier modifier) const;
  /// The n-th modifier of `slot` as written, kNone when there is none.
  [[nodiscard]] Modifier get(Slot slot, int n = 0) const;
  /// What the i-th of `count` written operands is; least_operands <= count <= most_operands.
  [[nodiscard]] const OperandShape& operand(size_t i, size_t count) const {
    const bool last = i + last_operands >= count;
    return form->operands[operands[last ? most_operands - (count - i) : i]];
  }
  /// The n-th state space as written; kGeneric when there is none.
  [[nodiscard]] Space space(int n = 0) const;
};

/// The type that operand `shape` must have in this spelling; kNone when any will do.
[[nodiscard]] Type operand_type(const Spelling& spelling, const OperandShape& shape);

/// What is wrong with a spelling, and which characters of it.
struct SpellingFault {
  Span where;  // relative to the text
  std::string message;
  std::string hint;
  std::string code;
};

/// Decodes `text`; on failure fills `fault` and returns nothing.
[[nodiscard]] std::optional<Spelling> decode_spelling(std::string_view text, SpellingFault& fault);

/// The first PTX version (times ten) and sm that have the spelling, from its form and its words.
/// sm >= kArchSpecific: the 'a' or 'f' variants of sm - kArchSpecific and later only.
[[nodiscard]] Since since(const Spelling& spelling);

}  // namespace warpledger::ptx
