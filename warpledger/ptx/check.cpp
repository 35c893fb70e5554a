#include "warpledger/ptx/check.h"

#include <fmt/core.h>

namespace warpledger::ptx {
namespace {

using Fault = std::optional<OperandFault>;

/// One instruction under check: what the questions below need to know.
struct Check {
  const Module& module;
  const Function& function;
  const Spelling& spelling;

  [[nodiscard]] std::string_view text(const Operand& operand) const {
    return module.source->text(operand.span);
  }
  [[nodiscard]] Fault wrong(const Operand& operand, std::string_view wanted) const {
    return OperandFault{
        operand.span,
        fmt::format("'{}' takes {} here, not '{}'", spelling.text, wanted, text(operand)), "",
        "operand-kind"};
  }
  [[nodiscard]] Type type_of(const Operand& operand) const {
    if (operand.kind == OperandKind::kSpecial) {
      return info(static_cast<SpecialRegister>(operand.index)).type;
    }
    return function.registers[operand.value].type;
  }
};

bool is_register(const Operand& operand) {
  return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kSpecial;
}

bool is_constant(const Operand& operand) {
  return operand.kind >= OperandKind::kInteger && operand.kind <= OperandKind::kFloat64;
}

Fault check_type(const Check& check, const Operand& operand, Type wanted, bool may_widen) {
  if (wanted == Type::kNone || !is_register(operand)) return std::nullopt;
  const Type declared = check.type_of(operand);
  if (may_widen ? may_hold_or_widen(declared, wanted) : may_hold(declared, wanted)) {
    return std::nullopt;
  }
  return OperandFault{operand.span,
                      fmt::format("'{}' is .{}, '{}' takes .{} here", check.text(operand),
                                  to_text(declared), check.spelling.text, to_text(wanted)),
                      "", "operand-type"};
}

// A single value: register, constant where nothing is written, _ where something is.
Fault check_value(const Check& check, const Operand& operand, const OperandShape& shape) {
  const bool wide =
      shape.operand == OperandClass::kWideValue || shape.operand == OperandClass::kVector;
  if (operand.kind == OperandKind::kSink) {
    if (shape.written || shape.operand == OperandClass::kVector) return std::nullopt;
    return check.wrong(operand, "a value");
  }
  if (shape.written && operand.kind != OperandKind::kRegister)
    return check.wrong(operand, "a register");
  if (!is_register(operand) && !is_constant(operand)) {
    return check.wrong(operand, "a register or a constant");
  }
  return check_type(check, operand, operand_type(check.spelling, shape), wide);
}

Fault check_vector(const Check& check, const Operand& operand, const OperandShape& shape) {
  const int width = check.spelling.vector;
  if (operand.kind != OperandKind::kVector) {
    const bool whole = operand.kind == OperandKind::kRegister &&
                       check.function.registers[operand.value].width == width;
    if (width > 1 && !whole) return check.wrong(operand, fmt::format("{{}} of {} values", width));
    return check_value(check, operand, shape);
  }
  const auto elements = check.function.children(operand);
  if (static_cast<int>(elements.size()) != width) {
    return check.wrong(operand, width == 1 ? "one value" : fmt::format("{} values", width));
  }
  for (const Operand& element : elements) {
    if (Fault fault = check_value(check, element, shape)) return fault;
  }
  return std::nullopt;
}

// mov packs, unpacks, and takes addresses.
Fault check_move(const Check& check, const Operand& operand, const OperandShape& shape) {
  const bool address = operand.kind == OperandKind::kVariable ||
                       operand.kind == OperandKind::kFunction ||
                       operand.kind == OperandKind::kLabel;
  if (operand.kind == OperandKind::kVector || (address && !shape.written)) return std::nullopt;
  const bool vector = operand.kind == OperandKind::kSpecial && operand.component() < 0 &&
                      info(static_cast<SpecialRegister>(operand.index)).components > 0;
  if (vector) return check.wrong(operand, "one component of it");
  // mov reads a wider special register or %clock64 through .b64 as well as .u64.
  return check_value(check, operand, shape);
}

Fault check_registers(const Check& check, const Operand& operand, const OperandShape& shape) {
  if (operand.kind == OperandKind::kRegister) return std::nullopt;
  if (operand.kind != OperandKind::kVector) {
    if (!shape.written && is_constant(operand)) return std::nullopt;
    return check.wrong(operand, "registers");
  }
  for (const Operand& element : check.function.children(operand)) {
    const bool fits = is_register(element) || element.kind == OperandKind::kSink ||
                      (is_constant(element) && !shape.written);
    if (!fits) return check.wrong(element, "a register");
  }
  return std::nullopt;
}

Fault check_predicate(const Check& check, const Operand& operand, const OperandShape& shape) {
  if (operand.kind == OperandKind::kSink && shape.written) return std::nullopt;
  if (!shape.written && is_constant(operand)) return std::nullopt;
  if (!is_register(operand)) return check.wrong(operand, "a predicate");
  return check_type(check, operand, Type::kPred, false);
}

Fault check_one(const Check& check, const Operand& operand, const OperandShape& shape) {
  switch (shape.operand) {
    case OperandClass::kValue:
    case OperandClass::kWideValue:
      return check_value(check, operand, shape);
    case OperandClass::kVector:
      return check_vector(check, operand, shape);
    case OperandClass::kMove:
      return check_move(check, operand, shape);
    case OperandClass::kValueOrAddress:
      if (operand.kind == OperandKind::kVariable) return std::nullopt;
      return check_value(check, operand, shape);
    case OperandClass::kPredicate:
      return check_predicate(check, operand, shape);
    case OperandClass::kConstant:
      return operand.kind == OperandKind::kInteger ? std::nullopt
                                                   : check.wrong(operand, "an integer constant");
    case OperandClass::kAddress:
      return operand.is_address() ? std::nullopt : check.wrong(operand, "an address");
    case OperandClass::kTensorAddress:
      return operand.is_address() || operand.kind == OperandKind::kTensor
                 ? std::nullopt
                 : check.wrong(operand, "an address with coordinates");
    case OperandClass::kRegisters:
      return check_registers(check, operand, shape);
    case OperandClass::kSelected:
      return is_register(operand) || is_constant(operand) || operand.kind == OperandKind::kSink
                 ? std::nullopt
                 : check.wrong(operand, "a register");
    case OperandClass::kLabel:
      return operand.kind == OperandKind::kLabel ? std::nullopt : check.wrong(operand, "a label");
    case OperandClass::kTargets:
      return operand.kind == OperandKind::kTargets ? std::nullopt
                                                   : check.wrong(operand, "a .branchtargets list");
    case OperandClass::kCall:
    case OperandClass::kAny:
      return std::nullopt;
  }
  return std::nullopt;
}

Fault check_pair(const Check& check, const Operand& operand, const OperandShape& shape) {
  if (!shape.may_pair) return check.wrong(operand, "one result");
  const auto halves = check.function.children(operand);
  if (Fault fault = check_one(check, halves[0], shape)) return fault;
  OperandShape second;
  second.operand = OperandClass::kPredicate;
  second.written = true;
  return check_one(check, halves[1], second);
}

Fault check_call(const Check& check, std::span<const Operand> operands) {
  const Operand& callee = operands[1];
  if (callee.kind != OperandKind::kFunction && callee.kind != OperandKind::kRegister) {
    return check.wrong(callee, "a function or a register");
  }
  if (callee.kind == OperandKind::kFunction) {
    const Signature& signature = check.module.functions[callee.index].signature;
    if (signature.params.size() != operands[2].value ||
        signature.results.size() != operands[0].value) {
      return OperandFault{
          callee.span,
          fmt::format("'{}' has {} parameters and {} results, the call {} and {}",
                      check.text(callee), signature.params.size(), signature.results.size(),
                      operands[2].value, operands[0].value),
          "", "argument-count"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<OperandFault> check_operands(const Module& module, const Function& function,
                                           const Instruction& instruction) {
  const Spelling& spelling = module.spelling(instruction);
  const auto operands = function.operands_of(instruction);
  const Check check{module, function, spelling};
  if (spelling.op() == Op::kCall) return check_call(check, operands);
  const size_t count = operands.size();
  if (count < spelling.least_operands || count > spelling.most_operands) {
    const std::string wanted =
        spelling.most_operands == spelling.least_operands
            ? fmt::format("{}", spelling.most_operands)
            : fmt::format("{} to {}", spelling.least_operands, spelling.most_operands);
    return OperandFault{instruction.span,
                        fmt::format("'{}' takes {} operands, not {}", spelling.text, wanted, count),
                        "", "operand-count"};
  }
  for (size_t i = 0; i < count; ++i) {
    const OperandShape& shape = spelling.operand(i, count);
    const bool pair = operands[i].kind == OperandKind::kPair;
    Fault fault =
        pair ? check_pair(check, operands[i], shape) : check_one(check, operands[i], shape);
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace warpledger::ptx
