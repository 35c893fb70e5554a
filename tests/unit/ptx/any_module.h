// Random PTX made from the opcode table itself: every form, its optional parts at random, operands
// that fit. What the table describes, the parser must take.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/law.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::ptx::testing {

using warpledger::testing::Rng;

/// The declarations that the operands below use.
inline constexpr std::string_view kDeclarations =
    "\t.reg .pred %p<8>;\n\t.reg .b16 %s<8>;\n\t.reg .b32 %r<130>;\n\t.reg .b64 %d<8>;\n"
    "\tways: .branchtargets done, done;\n\t.reg .b128 %q<4>;\n\t.reg .f32 %f<8>;\n\t.shared .align "
    "16 .b8 tile[64];\n";

inline std::string any_register(Rng& rng, int bits) {
  if (bits <= 16) return fmt::format("%s{}", rng.between(0, 7));
  if (bits == 32) return fmt::format("%r{}", rng.between(0, 129));
  if (bits == 64) return fmt::format("%d{}", rng.between(0, 7));
  return fmt::format("%q{}", rng.between(0, 3));
}

inline std::string any_value(Rng& rng, Type type, bool written) {
  if (type == Type::kPred) return fmt::format("%p{}", rng.between(0, 7));
  const bool constant = !written && rng.between(0, 3) == 0 && bits(type) >= 16 && bits(type) <= 64;
  if (constant && type == Type::kF32) return fmt::format("0f{:08X}", rng.bits() & 0xffffffff);
  if (constant && type == Type::kF64) return fmt::format("0d{:016X}", rng.bits());
  const bool integer = kind(type) != TypeKind::kFloat && kind(type) != TypeKind::kPacked;
  if (constant && integer) return fmt::format("{}", rng.between(-100, 100));
  return any_register(rng, bits(type));
}

inline std::string any_address(Rng& rng) {
  switch (rng.between(0, 3)) {
    case 0:
      return fmt::format("[%d{}]", rng.between(0, 7));
    case 1:
      return fmt::format("[%d{}+{}]", rng.between(0, 7), rng.between(-64, 64) * 16);
    case 2:
      return "[tile]";
    default:
      return fmt::format("[tile+{}]", rng.between(0, 3) * 16);
  }
}

inline std::string any_vector(Rng& rng, Type type, int width, bool written) {
  std::string text = "{";
  for (int i = 0; i < width; ++i) text += (i == 0 ? "" : ", ") + any_value(rng, type, written);
  return text + "}";
}

inline std::string any_operand(Rng& rng, const Spelling& spelling, const OperandShape& shape) {
  const Type type = operand_type(spelling, shape);
  const std::string pair =
      shape.may_pair && rng.coin() ? fmt::format("|%p{}", rng.between(0, 7)) : "";
  switch (shape.operand) {
    case OperandClass::kVector:
      if (spelling.vector > 1) return any_vector(rng, type, spelling.vector, shape.written);
      return any_value(rng, type, shape.written);
    case OperandClass::kPredicate:
      return (!shape.written && rng.coin() ? "!" : "") + any_value(rng, Type::kPred, true) + pair;
    case OperandClass::kConstant:
      return fmt::format("{}", rng.between(0, 1));
    case OperandClass::kAddress:
      return any_address(rng);
    case OperandClass::kTensorAddress:
      return fmt::format("[%d{}, {}]", rng.between(0, 7), any_vector(rng, Type::kB32, 2, true));
    case OperandClass::kRegisters:
      return any_vector(rng, Type::kB32, 1 << rng.between(0, 3), true) + pair;
    case OperandClass::kLabel:
      return "done";
    case OperandClass::kTargets:
      return "ways";
    case OperandClass::kCall:
      return "helper";
    case OperandClass::kSelected:
      return any_register(rng, 32) + (shape.written ? "" : fmt::format(".b{}", rng.between(0, 3)));
    default:
      return any_value(rng, type == Type::kNone ? Type::kB32 : type, shape.written) + pair;
  }
}

/// A spelling of `form`, its alternatives and optional parts at random.
inline std::string any_spelling(Rng& rng, const Form& form) {
  std::string text(form.base);
  for (const PatternElement& element : form.elements) {
    if (element.optional && rng.coin()) continue;
    const std::string word(element.types.empty() ? to_text(rng.pick(element.modifiers))
                                                 : to_text(rng.pick(element.types)));
    const bool any_n = word.substr(0, 5) == "m64nN";
    text += "." + (any_n ? fmt::format("m64n{}{}", 8 * rng.between(1, 32), word.substr(5)) : word);
  }
  return text;
}

inline std::string any_instruction(Rng& rng, const Form& form) {
  std::string text = rng.between(0, 4) == 0
                         ? fmt::format("@{}%p{} ", rng.coin() ? "!" : "", rng.between(0, 7))
                         : "";
  const std::string spelled = any_spelling(rng, form);
  SpellingFault fault;
  const auto spelling = decode_spelling(spelled, fault);
  if (!spelling) return "";  // an optional part that another form owns
  text += spelled;
  const auto count =
      static_cast<size_t>(rng.between(spelling->least_operands, spelling->most_operands));
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? " " : ", ") + any_operand(rng, *spelling, spelling->operand(i, count));
  }
  return text + ";";
}

inline std::string module_of(const std::string& body) {
  return fmt::format(
      ".version 9.4\n.target sm_120a\n.address_size 64\n.func helper() {{ ret; }}\n"
      ".visible .entry kernel(.param .b64 in)\n{{\n{}{}done:\n\tret;\n}}\n",
      kDeclarations, body);
}

/// A module of rng.size() random instructions.
inline std::string any_module(Rng& rng) {
  std::string body;
  for (int i = 0; i < rng.size(); ++i) {
    const std::string line = any_instruction(rng, rng.pick(forms()));
    if (!line.empty()) body += "\t" + line + "\n";
  }
  return module_of(body);
}

}  // namespace warpledger::ptx::testing
