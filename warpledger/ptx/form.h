// The rows of the opcode table, compiled once: patterns into lists of elements, operand texts into
// lists of OperandShape. A broken row is a bug of ours and stops the program at the first use.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpledger/ptx/modifier.h"
#include "warpledger/ptx/opcode.h"
#include "warpledger/ptx/type.h"

namespace warpledger::ptx {

/// One place of a pattern: the types or the modifiers that may stand there.
struct PatternElement {
  Slot slot = Slot::kFlag;
  bool optional = false;
  uint8_t group = 0;                     // not 0: there together with all others of the group
  std::vector<Type> types = {};          // not empty: a type stands here
  std::vector<Modifier> modifiers = {};  // else one of these
  std::vector<Slot> slots = {};          // of each modifier
};

enum class OperandClass : uint8_t {
  kValue,           // register, constant, special register
  kWideValue,       // the same; the register may be wider than the type
  kVector,          // loads and stores: scalar or {…}, as the vector modifier says; may be wider
  kMove,            // mov: value, vector, address
  kValueOrAddress,  // value, or a variable's address
  kPredicate,
  kConstant,
  kAddress,
  kTensorAddress,
  kRegisters,  // a register or {…} of any length
  kSelected,   // video: a register with .b0 .h1 …
  kLabel,
  kTargets,  // a list of them
  kCall,
  kAny,
};

/// Where the type of an operand comes from.
enum class TypeFrom : uint8_t { kNone, kInstruction, kWidened, kFixed };

struct OperandShape {
  OperandClass operand = OperandClass::kAny;
  TypeFrom type_from = TypeFrom::kNone;
  uint8_t type_index = 0;   // kInstruction, kWidened
  Type type = Type::kNone;  // kFixed
  bool written = false;
  bool optional = false;
  bool may_pair = false;  // d|p
  // Not kNone or kFlag: the operand is there exactly when the spelling has this word, or one of
  // this slot.
  Modifier only_with = Modifier::kNone;
  Slot only_with_slot = Slot::kFlag;

  [[nodiscard]] bool is_conditional() const {
    return only_with != Modifier::kNone || only_with_slot != Slot::kFlag;
  }
};

struct Form {
  static constexpr size_t kMostOperands = 12;
  const FormRow* row = nullptr;
  std::string_view base;  // the word before the first dot
  std::vector<PatternElement> elements = {};
  std::vector<OperandShape> operands = {};
};

[[nodiscard]] std::span<const Form> forms();

/// The forms whose first word is `base`, in the order of the table; empty for an unknown opcode.
[[nodiscard]] std::span<const Form* const> forms_of(std::string_view base);

/// Every first word, sorted: for "did you mean".
[[nodiscard]] const std::vector<std::string>& base_words();

}  // namespace warpledger::ptx
