// Constants: 12, 0x1F, 017, 0b101, 12U, 0f3F800000, 0d…, 1.5e3, and expressions of integers, which
// are folded as they are read.
#include <fmt/format.h>

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
  const char marker = scan_.peek() == '0' ? static_cast<char>(scan_.peek(1) | 0x20) : '\0';
  std::string_view text = scan_.word();
  const auto invalid = [&] {
    return fail(from(begin), fmt::format("'{}' is not a number", text), "", "invalid-number");
  };
  const auto read = [&](std::string_view digits, int base) {
    const char* const end = digits.data() + digits.size();
    const auto done = std::from_chars(digits.data(), end, out.bits, base);
    return !digits.empty() && done.ec == std::errc() && done.ptr == end;
  };
  out = {};
  if (marker == 'f' || marker == 'd') {
    out.kind = marker == 'f' ? OperandKind::kFloat32 : OperandKind::kFloat64;
    if (text.size() != (marker == 'f' ? 10u : 18u) || !read(text.substr(2), 16)) return invalid();
    scan_.skip();
    return true;
  }
  const bool fraction = scan_.peek() == '.' && Scanner::is(scan_.peek(1), kDigit);
  const bool exponent = marker != 'x' && text.find_first_of("eE") != std::string_view::npos;
  if (fraction || exponent || (scan_.peek() == '.' && marker != 'x')) {
    if (scan_.peek() == '.') scan_.advance(), scan_.word();
    const char last = static_cast<char>(scan_.text(begin).back() | 0x20);
    if (last == 'e' && (scan_.peek() == '+' || scan_.peek() == '-')) scan_.advance(), scan_.word();
    text = scan_.text(begin);
    double value = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return invalid();
    out = {OperandKind::kFloat64, false, std::bit_cast<uint64_t>(value)};
    scan_.skip();
    return true;
  }
  const bool suffix = text.size() > 1 && (text.back() == 'U' || text.back() == 'u');
  std::string_view digits = suffix ? text.substr(0, text.size() - 1) : text;
  const bool prefixed = digits.size() > 2 && (marker == 'x' || marker == 'b');
  const int base =
      prefixed ? (marker == 'x' ? 16 : 2) : (digits.size() > 1 && digits[0] == '0' ? 8 : 10);
  if (!read(prefixed ? digits.substr(2) : digits, base)) return invalid();
  out.is_unsigned = suffix || out.bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  scan_.skip();
  return true;
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
