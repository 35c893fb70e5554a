// Instructions and operands to text.
#include <fmt/format.h>

#include "warpledger/ptx/printer.h"

namespace warpledger::ptx {
namespace {

constexpr std::string_view kComponents = "xyzw";

class OperandPrinter {
 public:
  OperandPrinter(const Module& module, const Function& function, std::string& out)
      : module_(module), function_(function), out_(out) {}

  void print(const Operand& operand) {
    if (operand.is_negated()) out_ += (operand.flags & Operand::kMinus) != 0 ? '-' : '!';
    switch (operand.kind) {
      case OperandKind::kNone:
        break;
      case OperandKind::kSink:
        out_ += '_';
        break;
      case OperandKind::kRegister:
        print_register(operand.index);
        break;
      case OperandKind::kSpecial:
        out_ += to_text(SpecialName{static_cast<SpecialRegister>(operand.index),
                                    static_cast<uint32_t>(operand.value)});
        break;
      case OperandKind::kInteger:
        print_integer(operand);
        break;
      case OperandKind::kFloat32:
        fmt::format_to(end(), "0f{:08X}", operand.value);
        break;
      case OperandKind::kFloat64:
        fmt::format_to(end(), "0d{:016X}", operand.value);
        break;
      case OperandKind::kVariable:
        out_ += module_.variables[operand.index].name;
        print_offset(operand);
        break;
      case OperandKind::kFunction:
        out_ += module_.functions[operand.index].name;
        break;
      case OperandKind::kLabel:
        out_ += function_.labels[operand.index].name;
        break;
      case OperandKind::kTargets:
        out_ += function_.targets[operand.index].name;
        break;
      case OperandKind::kPrototype:
        out_ += function_.prototypes[operand.index].name;
        break;
      default:
        print_compound(operand);
        break;
    }
    print_selector(operand.selector);
    if ((operand.flags & Operand::kUnified) != 0) out_ += ".unified";
  }

  void print_list(std::span<const Operand> operands, std::string_view separator) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i != 0) out_ += separator;
      print(operands[i]);
    }
  }

  void print_register(uint32_t reg) {
    const RegisterRange& range = function_.range_of(reg);
    out_ += range.prefix;
    if (range.is_numbered) fmt::format_to(end(), "{}", reg - range.first);
  }

 private:
  std::back_insert_iterator<std::string> end() { return std::back_inserter(out_); }

  void print_integer(const Operand& operand) {
    if (operand.is_unsigned()) {
      fmt::format_to(end(), "{}U", operand.value);
    } else {
      fmt::format_to(end(), "{}", static_cast<int64_t>(operand.value));
    }
  }

  void print_offset(const Operand& operand) {
    if ((operand.flags & Operand::kOffset) != 0) fmt::format_to(end(), "+{}", operand.offset());
  }

  void print_selector(uint16_t selector) {
    if (selector == 0) return;
    out_ += '.';
    if ((selector & kSelect) == 0) {
      out_ += kComponents[selector - 1u];
      return;
    }
    out_ += (selector & kSelectHalves) != 0 ? 'h' : 'b';
    for (int digit = (selector >> 12 & 3); digit >= 0; --digit) {
      out_ += static_cast<char>('0' + (selector >> 3 * digit & 7));
    }
  }

  void print_compound(const Operand& operand) {
    switch (operand.kind) {
      case OperandKind::kAddressOfRegister:
      case OperandKind::kAddressOfVariable:
      case OperandKind::kAddressOfConstant:
        out_ += '[';
        print_address(operand);
        out_ += ']';
        break;
      case OperandKind::kTensor:
        out_ += '[';
        print_address(function_.children(operand)[0]);
        out_ += ", ";
        print_list(function_.children(operand).subspan(1), ", ");
        out_ += ']';
        break;
      case OperandKind::kVector:
        print_enclosed(operand, "{", ", ", "}");
        break;
      case OperandKind::kPair:
        print_enclosed(operand, "", "|", "");
        break;
      default:
        print_enclosed(operand, "(", ", ", ")");
        break;
    }
  }

  void print_enclosed(const Operand& operand, std::string_view open, std::string_view separator,
                      std::string_view close) {
    out_ += open;
    print_list(function_.children(operand), separator);
    out_ += close;
  }

  void print_address(const Operand& operand) {
    if (operand.kind == OperandKind::kAddressOfConstant) {
      print_integer(operand);
      return;
    }
    if (operand.kind == OperandKind::kAddressOfRegister) print_register(operand.index);
    if (operand.kind == OperandKind::kAddressOfVariable) {
      out_ += module_.variables[operand.index].name;
    }
    print_offset(operand);
  }

  const Module& module_;
  const Function& function_;
  std::string& out_;
};

// call (results), callee, (arguments), targets: parts that are absent leave no comma.
void print_call(OperandPrinter& printer, std::span<const Operand> operands, std::string& out) {
  if (operands[0].value != 0) {
    printer.print(operands[0]);
    out += ", ";
  }
  printer.print(operands[1]);
  const bool has_targets = operands[3].kind != OperandKind::kNone;
  if (operands[2].value != 0 || has_targets || operands[0].value != 0) {
    out += ", ";
    printer.print(operands[2]);
  }
  if (!has_targets) return;
  out += ", ";
  printer.print(operands[3]);
}

}  // namespace

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  OperandPrinter printer(module, function, out);
  if (instruction.guard != kNoGuard) {
    out += instruction.guard_negated ? "@!" : "@";
    printer.print_register(instruction.guard);
    out += ' ';
  }
  const Spelling& spelling = module.spelling(instruction);
  out += spelling.text;
  const auto operands = function.operands_of(instruction);
  if (!operands.empty()) out += ' ';
  if (spelling.op() == Op::kCall) {
    print_call(printer, operands, out);
  } else {
    printer.print_list(operands, ", ");
  }
  out += ';';
  return out;
}

}  // namespace warpledger::ptx
