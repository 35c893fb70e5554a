// Operands: names, constants, {vectors}, [addresses], d|p, !p.
#include <fmt/core.h>

#include <charconv>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

constexpr std::string_view kComponents = "xyzwrgba";

// .b2 .h1 .h10 .b3210: see operand.h.
uint16_t video_selector(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return 0;
  uint16_t digits = 0;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '7') return 0;
    digits = static_cast<uint16_t>(digits << 3 | (c - '0'));
  }
  const auto count = static_cast<uint16_t>(word.size() - 2);
  return static_cast<uint16_t>(kSelect | (word[0] == 'h' ? kSelectHalves : 0) | count << 12 |
                               digits);
}

}  // namespace

// Puts operands_[from..] into the function's array; returns where.
uint32_t Parser::append(const std::vector<Operand>& operands, size_t from) {
  const auto first = static_cast<uint32_t>(function_->operands.size());
  for (size_t i = from; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    if (operand.kind == OperandKind::kLabel && operand.index == UINT32_MAX) {
      pending_.push_back({static_cast<uint32_t>(operand.value),
                          first + static_cast<uint32_t>(i - from), UINT32_MAX, operand.span});
    }
    function_->operands.push_back(operand);
  }
  return first;
}

void Parser::adopt_children(Operand& parent, size_t from) {
  parent.index = append(operands_, from);
  parent.value = operands_.size() - from;
  operands_.resize(from);
}

bool Parser::operand(Operand& out) {
  const uint32_t begin = scan_.position();
  if (!simple_operand(out)) return false;
  if (scan_.peek() != '|') return true;
  scan_.accept('|');
  const size_t from_here = operands_.size();
  operands_.push_back(out);
  Operand second;
  if (!named_operand(second)) return false;
  operands_.push_back(second);
  out = {OperandKind::kPair};
  adopt_children(out, from_here);
  out.span = from(begin);
  return true;
}

bool Parser::simple_operand(Operand& out) {
  const char c = scan_.peek();
  if (Scanner::is(c, kNameStart)) return named_operand(out);
  if (c == '[') return address_operand(out);
  if (c == '{') return vector_operand(out);
  const bool before_name = (c == '!' || c == '-') && Scanner::is(scan_.peek(1), kNameStart);
  if (!before_name) return constant_operand(out);
  const uint32_t begin = scan_.position();
  scan_.advance();
  if (!named_operand(out)) return false;
  out.flags |= c == '!' ? Operand::kNegated : Operand::kNegated | Operand::kMinus;
  out.span.begin = begin;
  return true;
}

bool Parser::constant_operand(Operand& out) {
  const uint32_t begin = scan_.position();
  const char c = scan_.peek();
  if (!Scanner::is(c, kDigit) && std::string_view("-+~!(").find(c) == std::string_view::npos) {
    return expected("an operand");
  }
  Constant value;
  if (!constant(value)) return false;
  out = {value.kind};
  if (value.is_unsigned) out.flags = Operand::kUnsigned;
  out.value = value.bits;
  out.span = from(begin);
  return true;
}

bool Parser::named_operand(Operand& out) {
  const uint32_t begin = scan_.position();
  const std::string_view name = scan_.name();
  if (name.empty()) return expected("a name");
  out = {};
  out.span = from(begin);
  if (!resolve_name(name, out)) return false;
  if (scan_.peek() == '.' && !selector(out)) return false;
  out.span = from(begin);
  scan_.skip();
  if (out.kind == OperandKind::kVariable) return operand_offset(out);
  return true;
}

bool Parser::operand_offset(Operand& out) {
  const char sign = scan_.peek();
  if (sign == '+' || sign == '-') out.flags |= Operand::kOffset;
  return offset(out.value);
}

// +8, -8, +-8; nothing when none stands here.
bool Parser::offset(uint64_t& out) {
  const char sign = scan_.peek();
  if (sign != '+' && sign != '-') return true;
  if (sign == '+') scan_.accept('+');
  const uint32_t begin = scan_.position();
  Constant value;
  if (!constant(value)) return false;
  if (value.kind != OperandKind::kInteger) {
    return fail(from(begin), "an offset is an integer", "", "invalid-offset");
  }
  out = value.bits;
  return true;
}

bool Parser::selector(Operand& out) {
  const uint32_t begin = scan_.position();
  scan_.advance();
  const std::string_view word = scan_.word();
  const size_t component = word.size() == 1 ? kComponents.find(word[0]) : std::string_view::npos;
  out.selector = component != std::string_view::npos ? static_cast<uint16_t>(component % 4 + 1)
                                                     : video_selector(word);
  const bool selectable = out.kind == OperandKind::kRegister || out.kind == OperandKind::kSpecial ||
                          out.kind == OperandKind::kSink;
  if (out.selector != 0 && selectable) return true;
  return fail(from(begin), fmt::format("'.{}' does not select a part of an operand", word), "",
              "unknown-selector");
}

// %r12 where %r<…> is declared: the most frequent operand, found without storing its name.
bool Parser::resolve_numbered(std::string_view name, Operand& out) {
  size_t digits = name.size();
  while (digits > 0 && Scanner::is(name[digits - 1], kDigit)) --digits;
  const size_t count = name.size() - digits;
  if (count == 0 || count > 9 || (count > 1 && name[digits] == '0')) return false;
  const Binding binding = names_.find(name.substr(0, digits));
  if (binding.meaning != Meaning::kRegisterRange) return false;
  uint32_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  const RegisterRange& range = function_->registers[binding.index];
  if (number >= range.count) return false;
  if (exact_numbered_ > 0) {
    const Binding exact = names_.find(name);
    if (exact.meaning != Meaning::kNothing && exact.depth > binding.depth) return false;
  }
  out.kind = OperandKind::kRegister;
  out.index = range.first + number;
  out.value = binding.index;
  return true;
}

bool Parser::resolve_name(std::string_view name, Operand& out) {
  if (resolve_numbered(name, out)) return true;
  const uint32_t number = names_.number(name);
  const Binding& binding = names_[number];
  out.index = binding.index;
  switch (binding.meaning) {
    case Meaning::kRegister:
      out.kind = OperandKind::kRegister;
      out.value = binding.index;
      out.index = function_->registers[binding.index].first;
      return true;
    case Meaning::kVariable:
      return out.kind = OperandKind::kVariable, true;
    case Meaning::kFunction:
      return out.kind = OperandKind::kFunction, true;
    case Meaning::kTargets:
      return out.kind = OperandKind::kTargets, true;
    case Meaning::kPrototype:
      return out.kind = OperandKind::kPrototype, true;
    case Meaning::kLabel:
      out.kind = OperandKind::kLabel;
      if (binding.depth == names_.depth()) return true;
      break;  // a label of this block may still come
    case Meaning::kRegisterRange:
    case Meaning::kNothing:
      break;
  }
  if (name == "_") return out.kind = OperandKind::kSink, true;
  if (name == "WARP_SZ") return out.kind = OperandKind::kInteger, out.value = 32, true;
  if (const auto special = parse_special_register(name)) {
    out.kind = OperandKind::kSpecial;
    out.index = static_cast<uint32_t>(special->special);
    out.value = special->number;
    return true;
  }
  out.kind = OperandKind::kLabel;
  out.index = UINT32_MAX;
  out.value = number;
  return true;
}

bool Parser::vector_operand(Operand& out) {
  const uint32_t begin = scan_.position();
  scan_.accept('{');
  const size_t first = operands_.size();
  do {
    Operand element;
    const char c = scan_.peek();
    if (c == '[' || c == '{') return expected("a register or a constant");
    if (!simple_operand(element)) return false;
    operands_.push_back(element);
  } while (scan_.accept(','));
  if (scan_.peek() != '}') return expected("'}'");
  scan_.advance();
  out = {OperandKind::kVector};
  adopt_children(out, first);
  out.span = from(begin);
  scan_.skip();
  return true;
}

// What stands in brackets before a comma: register, variable or constant, and an offset.
bool Parser::plain_address(Operand& out) {
  const uint32_t begin = scan_.position();
  if (!Scanner::is(scan_.peek(), kNameStart)) {
    if (!constant_operand(out)) return false;
    if (out.kind != OperandKind::kInteger) return expected("an address");
    return out.kind = OperandKind::kAddressOfConstant, true;
  }
  if (!named_operand(out)) return false;
  if (out.kind == OperandKind::kRegister) {
    out.kind = OperandKind::kAddressOfRegister;
    out.value = 0;
    if (!operand_offset(out)) return false;
  } else if (out.kind == OperandKind::kVariable) {
    out.kind = OperandKind::kAddressOfVariable;
  } else {
    return fail(from(begin), fmt::format("'{}' has no address", source_->text(out.span)), "",
                "not-an-address");
  }
  out.span = from(begin);
  return true;
}

bool Parser::address_operand(Operand& out) {
  const uint32_t begin = scan_.position();
  scan_.accept('[');
  if (!plain_address(out)) return false;
  if (scan_.peek() == ',') {
    const size_t first = operands_.size();
    operands_.push_back(out);
    while (scan_.accept(',')) {
      Operand part;
      if (scan_.peek() == '[' || !simple_operand(part)) return expected("a coordinate");
      operands_.push_back(part);
    }
    out = {OperandKind::kTensor};
    adopt_children(out, first);
  }
  if (scan_.peek() != ']') return expected("']'");
  scan_.advance();
  out.span = from(begin);
  if (scan_.peek() == '.') {
    scan_.advance();
    if (scan_.word() != "unified") return expected("'.unified'");
    out.flags |= Operand::kUnified;
  }
  scan_.skip();
  return true;
}

}  // namespace warpledger::ptx
