// Constants: 12, 0x1F, 017, 0b101, 12U, 0f3F800000, 0d…, 1.5e3, and expressions of integers, which
// are folded as they are read.
#include <fmt/core.h>

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

constexpr int kDeepest = 64;

struct Operator {
  std::string_view text;
  int strength;
};
// Longer ones first, so that << is not read as <.
constexpr std::array kOperators = {
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"==", 6}, Operator{"!=", 6}, Operator{"<=", 7},
    Operator{">=", 7}, Operator{"<<", 8}, Operator{">>", 8}, Operator{"|", 3},  Operator{"^", 4},
    Operator{"&", 5},  Operator{"<", 7},  Operator{">", 7},  Operator{"+", 9},  Operator{"-", 9},
    Operator{"*", 10}, Operator{"/", 10}, Operator{"%", 10}};

const Operator* operator_at(const Scanner& scan) {
  for (const Operator& op : kOperators) {
    if (scan.peek() == op.text[0] && (op.text.size() == 1 || scan.peek(1) == op.text[1]))
      return &op;
  }
  return nullptr;
}

uint64_t shifted(std::string_view op, const Constant& a, uint64_t by) {
  if (op == "<<") return by > 63 ? 0 : a.bits << by;
  if (a.is_unsigned) return by > 63 ? 0 : a.bits >> by;
  return static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> std::min<uint64_t>(by, 63));
}

// Pre: b != 0 for / and %.
uint64_t divided(char op, bool is_unsigned, uint64_t a, uint64_t b) {
  if (is_unsigned) return op == '/' ? a / b : a % b;
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  if (y == -1) return op == '/' ? 0 - a : 0;  // the smallest number has no negative
  return static_cast<uint64_t>(op == '/' ? x / y : x % y);
}

bool compared(std::string_view op, bool is_unsigned, uint64_t a, uint64_t b) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  const bool less = is_unsigned ? a < b : x < y;
  if (op == "<") return less;
  if (op == ">=") return !less;
  const bool more = is_unsigned ? a > b : x > y;
  return op == ">" ? more : !more;
}

uint64_t applied(std::string_view op, const Constant& left, const Constant& right) {
  const uint64_t a = left.bits, b = right.bits;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  if (op == "||") return a != 0 || b != 0;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<<" || op == ">>") return shifted(op, left, b);
  switch (op[0]) {
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '&':
      return a & b;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
    case '%':
      return divided(op[0], is_unsigned, a, b);
    default:
      return compared(op, is_unsigned, a, b);
  }
}

char lower(char c) { return static_cast<char>(c | 0x20); }

bool read_digits(std::string_view digits, int base, uint64_t& out) {
  const char* const end = digits.data() + digits.size();
  const auto done = std::from_chars(digits.data(), end, out, base);
  return !digits.empty() && done.ec == std::errc() && done.ptr == end;
}

// 0f3F800000 and 0d3FF0000000000000: the bits of the value.
bool read_float_bits(std::string_view text, Constant& out) {
  const bool single = lower(text[1]) == 'f';
  out = {single ? OperandKind::kFloat32 : OperandKind::kFloat64};
  return text.size() == (single ? 10u : 18u) && read_digits(text.substr(2), 16, out.bits);
}

bool read_decimal_float(std::string_view text, Constant& out) {
  double value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  out = {OperandKind::kFloat64, false, std::bit_cast<uint64_t>(value)};
  return done.ec == std::errc() && done.ptr == text.data() + text.size();
}

// 12, 12U, 0x1F, 0b101, 017.
bool read_integer(std::string_view text, Constant& out) {
  out = {};
  const bool suffix = text.size() > 1 && lower(text.back()) == 'u';
  if (suffix) text.remove_suffix(1);
  const char marker = text.size() > 2 && text[0] == '0' ? lower(text[1]) : '\0';
  int base = text.size() > 1 && text[0] == '0' ? 8 : 10;
  if (marker == 'x') base = 16;
  if (marker == 'b') base = 2;
  const bool prefixed = marker == 'x' || marker == 'b';
  if (!read_digits(prefixed ? text.substr(2) : text, base, out.bits)) return false;
  out.is_unsigned = suffix || out.bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return true;
}

}  // namespace

bool Parser::constant(Constant& out) {
  if (!binary(out, 1)) return false;
  if (scan_.peek() != '?') return true;
  scan_.accept('?');
  Constant yes, no;
  if (++depth_ > kDeepest) return expected("a shorter expression");
  if (!constant(yes) || !expect(':') || !constant(no)) return false;
  --depth_;
  out = out.bits != 0 ? yes : no;
  return true;
}

bool Parser::binary(Constant& out, int weakest) {
  if (!unary(out)) return false;
  while (const Operator* op = operator_at(scan_)) {
    if (op->strength < weakest) return true;
    const uint32_t begin = scan_.position();
    scan_.advance(static_cast<int>(op->text.size()));
    scan_.skip();
    Constant right;
    if (!binary(right, op->strength + 1)) return false;
    if (out.kind != OperandKind::kInteger || right.kind != OperandKind::kInteger) {
      return fail(from(begin), "expressions take integers only", "", "constant-expression");
    }
    if ((op->text == "/" || op->text == "%") && right.bits == 0) {
      return fail(from(begin), "division by zero", "", "constant-expression");
    }
    out = {OperandKind::kInteger, out.is_unsigned || right.is_unsigned,
           applied(op->text, out, right)};
  }
  return true;
}

bool Parser::unary(Constant& out) {
  const char c = scan_.peek();
  if (c == '(') return parenthesised(out);
  if (c != '-' && c != '+' && c != '~' && c != '!') return number(out);
  if (++depth_ > kDeepest) return expected("a shorter expression");
  const uint32_t begin = scan_.position();
  scan_.accept(c);
  if (!unary(out)) return false;
  --depth_;
  if (c == '-' && out.kind == OperandKind::kFloat32) return out.bits ^= uint64_t{1} << 31, true;
  if (c == '-' && out.kind == OperandKind::kFloat64) return out.bits ^= uint64_t{1} << 63, true;
  if (out.kind != OperandKind::kInteger) {
    return c == '+' ||
           fail(from(begin), "expressions take integers only", "", "constant-expression");
  }
  if (c == '-') out.bits = 0 - out.bits;
  if (c == '~') out.bits = ~out.bits;
  if (c == '!') out.bits = out.bits == 0 ? 1 : 0;
  return true;
}

// (expression), or a cast: (.s64) expression.
bool Parser::parenthesised(Constant& out) {
  if (++depth_ > kDeepest) return expected("a shorter expression");
  scan_.accept('(');
  if (scan_.peek() == '.') {
    scan_.advance();
    const std::string_view word = scan_.word();
    scan_.skip();
    if ((word != "s64" && word != "u64") || !expect(')')) return expected("'.s64' or '.u64'");
    if (!unary(out)) return false;
    out.is_unsigned = word == "u64";
  } else if (!constant(out) || !expect(')')) {
    return false;
  }
  --depth_;
  return true;
}

bool Parser::number(Constant& out) {
  const uint32_t begin = scan_.position();
  if (!Scanner::is(scan_.peek(), kDigit)) return expected("a number");
  const char marker = scan_.peek() == '0' ? lower(scan_.peek(1)) : '\0';
  std::string_view text = scan_.word();
  const bool hex = marker == 'x';
  const bool bits = marker == 'f' || marker == 'd';
  const bool exponent = text.find_first_of("eE") != std::string_view::npos;
  bool read = false;
  if (bits) {
    read = read_float_bits(text, out);
  } else if (!hex && (scan_.peek() == '.' || exponent)) {
    text = decimal_float(begin);
    read = read_decimal_float(text, out);
  } else {
    read = read_integer(text, out);
  }
  if (!read) {
    return fail(from(begin), fmt::format("'{}' is not a number", text), "", "invalid-number");
  }
  scan_.skip();
  return true;
}

// The scanner stands behind the first digits: the rest of 1.5e-3.
std::string_view Parser::decimal_float(uint32_t begin) {
  if (scan_.peek() == '.') {
    scan_.advance();
    scan_.word();
  }
  const bool signed_exponent = scan_.peek() == '+' || scan_.peek() == '-';
  if (signed_exponent && lower(scan_.text(begin).back()) == 'e') {
    scan_.advance();
    scan_.word();
  }
  return scan_.text(begin);
}

bool Parser::small_number(uint32_t& out) {
  const uint32_t begin = scan_.position();
  Constant value;
  if (!constant(value)) return false;
  if (value.kind != OperandKind::kInteger || value.bits > std::numeric_limits<int32_t>::max()) {
    return fail(from(begin), "expected a small positive integer", "", "invalid-number");
  }
  out = static_cast<uint32_t>(value.bits);
  return true;
}

}  // namespace warpledger::ptx
