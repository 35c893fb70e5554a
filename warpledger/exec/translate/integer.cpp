// Integer arithmetic.
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"
#include "warpledger/exec/translate/wide.h"

namespace warpledger::exec::translate {
namespace {

using machine::kTruePredicate;

bool is_false(const Operand& operand) {
  return operand.index == kTruePredicate && operand.inverted;
}

/// A source of an addition modulo 2^32: with a carry coming in, -x is ~x.
std::string addend(Writer& w, const Operand& operand, bool has_carry) {
  if (operand.kind == OperandKind::kImmediate) return w.word(operand);
  Operand plain = operand;
  plain.absolute = false;
  if (operand.negated && has_carry) plain.negated = false, plain.inverted = true;
  if (plain.negated) plain.inverted = false;
  return w.integer(plain);
}

std::string one_if(Writer& w, const Operand& predicate) {
  const std::string name = w.word_temp();
  w.step("selp.b32 {}, 1, 0, {};", name, w.predicate(predicate));
  return name;
}

std::string sum_of(Writer& w, const std::vector<std::string>& addends) {
  std::string sum;
  for (const std::string& one : addends) {
    if (one == "0") continue;
    if (sum.empty()) {
      sum = one;
      continue;
    }
    const std::string name = w.word_temp();
    w.step("add.u32 {}, {}, {};", name, sum, one);
    sum = name;
  }
  return sum.empty() ? "0" : sum;
}

/// An addend as the interpreter counts it into a sum of more than 32 bits.
std::string wide_addend(Writer& w, const Operand& operand, bool has_carry) {
  const std::string wide = w.wide_temp();
  if (operand.kind == OperandKind::kImmediate) return std::to_string(operand.immediate);
  Operand plain = operand;
  plain.negated = plain.absolute = false;
  plain.inverted = operand.negated || operand.inverted;
  w.step("cvt.u64.u32 {}, {};", wide, w.integer(plain));
  if (!operand.negated || has_carry) return wide;
  const std::string more = w.wide_temp();
  w.step("add.u64 {}, {}, 1;", more, wide);
  return more;
}

std::string wide_sum(Writer& w, const std::vector<std::string>& addends) {
  std::string sum = "0";
  for (const std::string& one : addends) {
    const std::string name = w.wide_temp();
    w.step("add.u64 {}, {}, {};", name, sum, one);
    sum = name;
  }
  return sum;
}

/// Predicates [1, at) are the carries of the sum.
void write_carries(Writer& w, size_t at, const std::string& wide) {
  const std::string carry = w.high(wide);
  for (size_t i = 1; i < at; ++i)
    if (w.operand(i).index != kTruePredicate)
      w.result("setp.ge.u32 {}, {}, {};", w.to_predicate(w.operand(i)), carry, i);
}

bool has_carries_beyond(Writer& w, size_t first) {
  const size_t at = first_source(w.now());
  for (size_t i = first; i < at; ++i)
    if (w.operand(i).index != kTruePredicate) return true;
  return false;
}

bool has_carries(Writer& w, size_t) { return has_carries_beyond(w, 1); }

/// The carry of a sum of two words, told by comparing: widening would have to know that no sum of
/// 32 bits wraps. False where there are three.
bool write_compared_carry(Writer& w, size_t at, const std::string& sum) {
  std::vector<const Operand*> addends;
  for (size_t i = at; i < at + 3; ++i)
    if (!is_zero(w.operand(i))) addends.push_back(&w.operand(i));
  if (addends.size() > 2 || addends.empty() || has_carries_beyond(w, 2)) return false;
  for (const Operand* one : addends)
    if (one->inverted || one->absolute) return false;
  const std::string to = w.to_predicate(w.operand(1));
  if (addends.size() == 1 && addends[0]->negated) return false;
  const auto negative = [](const Operand* one) {
    return one->negated && one->kind != OperandKind::kImmediate;
  };
  if (addends.size() == 1) {
    w.result("mov.pred {}, %pf;", to);
  } else if (!negative(addends[0]) && !negative(addends[1])) {
    w.result("setp.lt.u32 {}, {}, {};", to, sum, w.word(*addends[0]));
  } else {
    if (negative(addends[0]) && negative(addends[1])) return false;
    const bool first = negative(addends[0]);
    const std::string a = w.word(*addends[first ? 1 : 0]), b = w.word(*addends[first ? 0 : 1]);
    w.result("setp.ge.u32 {}, {}, {};", to, a, b);
  }
  return true;
}

/// Of a sum of two words that was written as one of 64 bits.
bool write_lower(Writer& w, size_t at, uint32_t end) {
  const std::string wide = write_wide_sum(w, end);
  if (wide.empty()) return false;
  const std::string lower = w.low(wide);
  if (!write_compared_carry(w, at, lower)) {
    std::vector<std::string> addends;
    for (size_t i = at; i < at + 3; ++i) addends.push_back(wide_addend(w, w.operand(i), false));
    write_carries(w, at, wide_sum(w, addends));
  }
  w.set(w.operand(0), lower);
  return true;
}

}  // namespace

void translate_add3(Writer& w, uint32_t end) {
  if (w.has(M::k64)) return w.refuse("of 64 bits");
  if (write_upper(w)) return;
  const size_t at = first_source(w.now());
  const bool has_carry = w.has(M::kX);
  if (write_lower(w, at, end)) return;
  if (has_carries(w, at) && !has_carry) {
    std::vector<std::string> addends;
    for (size_t i = at; i < at + 3; ++i) addends.push_back(addend(w, w.operand(i), false));
    const std::string sum = w.word_temp();
    w.step("mov.b32 {}, {};", sum, sum_of(w, addends));
    if (write_compared_carry(w, at, sum)) return w.set(w.operand(0), sum);
  }
  if (has_carries(w, at)) {
    std::vector<std::string> addends;
    for (size_t i = at; i < at + 3; ++i) addends.push_back(wide_addend(w, w.operand(i), has_carry));
    for (size_t i = at + 3; has_carry && i < w.operands(); ++i) {
      const std::string wide = w.wide_temp();
      w.step("cvt.u64.u32 {}, {};", wide, one_if(w, w.operand(i)));
      addends.push_back(wide);
    }
    const std::string sum = wide_sum(w, addends);
    const std::string lower = w.low(sum);
    write_carries(w, at, sum);
    return w.set(w.operand(0), lower);
  }
  std::vector<std::string> addends;
  for (size_t i = at; i < at + 3; ++i) addends.push_back(addend(w, w.operand(i), has_carry));
  for (size_t i = at + 3; has_carry && i < w.operands(); ++i)
    if (!is_false(w.operand(i))) addends.push_back(one_if(w, w.operand(i)));
  w.set(w.operand(0), sum_of(w, addends));
}

void translate_add2(Writer& w, uint32_t) {
  if (w.has(M::kU8x4)) return w.refuse("of bytes");
  const std::string a = w.integer(w.operand(1)), b = w.integer(w.operand(2));
  w.result("add.u32 {}, {}, {};", w.to(w.operand(0)), a, b);
}

namespace {

/// IMAD.WIDE.U32 d, carry = x * y + addend [+ carry]: of 64 bits; of .HI the upper word.
void multiply_with_carries(Writer& w, size_t at, const std::string& x, const std::string& y,
                           const std::string& addend) {
  if (!w.has(M::kU32)) return w.refuse("with a carry");
  const std::string product = w.wide_temp(), sum = w.wide_temp(), over = w.predicate_temp();
  w.step("mul.wide.u32 {}, {}, {};", product, x, y);
  w.step("add.u64 {}, {}, {};", sum, product, addend.empty() ? "0" : addend);
  w.step("setp.lt.u64 {}, {}, {};", over, sum, product);
  std::string answer = sum, carry = over;
  if (w.has(M::kX) && w.operands() > at + 3 && !is_false(w.operand(at + 3))) {
    const std::string one = w.wide_temp();
    w.step("cvt.u64.u32 {}, {};", one, one_if(w, w.operand(at + 3)));
    answer = w.wide_temp(), carry = w.predicate_temp();
    w.step("add.u64 {}, {}, {};", answer, sum, one);
    w.step("setp.lt.or.u64 {}|%pz, {}, {}, {};", carry, answer, sum, over);
  }
  if (w.has(M::kWIDE))
    w.set_pair(w.operand(0), answer);
  else
    w.set(w.operand(0), w.high(answer));
  if (at > 1 && w.operand(1).index != kTruePredicate) w.set_predicate(w.operand(1), carry);
}

void multiply_wide(Writer& w, size_t at, bool carries) {
  const Operand &a = w.operand(at), &b = w.operand(at + 1), &c = w.operand(at + 2);
  const bool is_signed = !w.has(M::kU32);
  if (a.negated && a.kind != OperandKind::kImmediate) return w.refuse("a product of -a");
  const char* type = is_signed ? "s32" : "u32";
  const std::string x = w.word(a), y = w.integer(b);
  std::string addend;
  if (c.kind == OperandKind::kImmediate && !is_signed) {
    addend = std::to_string(c.immediate);
  } else if (!is_zero(c)) {
    addend = w.pair(c);
    if (c.kind != OperandKind::kImmediate && (c.inverted || c.negated)) {
      const std::string other = w.wide_temp();
      w.step("{} {}, {};", c.inverted || w.has(M::kX) ? "not.b64" : "neg.s64", other, addend);
      addend = other;
    }
  }
  const std::string product = w.wide_temp();
  if (carries) return multiply_with_carries(w, at, x, y, addend);
  if (addend.empty())
    w.step("mul.wide.{} {}, {}, {};", type, product, x, y);
  else
    w.step("mad.wide.{} {}, {}, {}, {};", type, product, x, y, addend);
  if (w.has(M::kWIDE)) return w.set_pair(w.operand(0), product);
  w.set(w.operand(0), w.high(product));
}

}  // namespace

void translate_multiply_add(Writer& w, uint32_t) {
  if (write_upper(w)) return;
  const size_t at = first_source(w.now());
  const bool is_wide = w.has(M::kWIDE) || w.has(M::kHI);
  const bool carries = w.has(M::kX) && w.operands() > at + 3 && !is_false(w.operand(at + 3));
  if (is_wide) return multiply_wide(w, at, carries || has_carries(w, at));
  if (has_carries(w, at)) return w.refuse("with a carry");
  const Operand &a = w.operand(at), &b = w.operand(at + 1);
  const std::string c = addend(w, w.operand(at + 2), w.has(M::kX));
  std::vector<std::string> addends;
  const bool is_one = b.kind == OperandKind::kImmediate && b.immediate == 1;
  if (carries) addends.push_back(one_if(w, w.operand(at + 3)));
  if (is_zero(a) || is_zero(b) || is_one) {
    addends.push_back(c);
    if (is_one) addends.insert(addends.begin(), w.integer(a));
    return w.set(w.operand(0), sum_of(w, addends));
  }
  const std::string x = w.integer(a), y = w.integer(b);
  if (addends.empty() && c == "0")
    return w.result("mul.lo.u32 {}, {}, {};", w.to(w.operand(0)), x, y);
  if (addends.empty()) return w.result("mad.lo.u32 {}, {}, {}, {};", w.to(w.operand(0)), x, y, c);
  const std::string product = w.word_temp();
  w.step("mad.lo.u32 {}, {}, {}, {};", product, x, y, c);
  addends.push_back(product);
  w.set(w.operand(0), sum_of(w, addends));
}

namespace {

/// The shifted operand of LEA, and the number of the operand after the shift.
std::string shifted(Writer& w, size_t at, size_t& next) {
  const Operand& a = w.operand(at);
  const bool is_high = w.has(M::kHI), extends = w.has(M::kSX32);
  next = at + 2;
  if (!is_high) {
    const std::string name = w.word_temp();
    w.step("shl.b32 {}, {}, {};", name, w.word(a), w.operand(next++).immediate & 31);
    return name;
  }
  const std::string wide = w.wide_temp(), moved = w.wide_temp();
  if (extends) {
    w.step("cvt.s64.s32 {}, {};", wide, w.word(a));
  } else {
    const std::string lower = w.word(a), upper = w.word(w.operand(next++));
    w.step("mov.b64 {}, {{{}, {}}};", wide, lower, upper);
  }
  w.step("shl.b64 {}, {}, {};", moved, wide, w.operand(next++).immediate & 31);
  return w.high(moved);
}

}  // namespace

namespace {

/// LEA d, carry = b - (a << n): as b + ~(a << n) + 1, whose carry is of the whole sum.
void subtract_shifted(Writer& w, size_t at, const std::string& shifted, const Operand& b) {
  const std::string other = w.word_temp(), wide = w.wide_temp();
  w.step("not.b32 {}, {};", other, shifted);
  w.step("cvt.u64.u32 {}, {};", wide, other);
  const std::string sum = wide_sum(w, {wide, wide_addend(w, b, false), "1"});
  const std::string lower = w.low(sum);
  write_carries(w, at, sum);
  w.set(w.operand(0), lower);
}

}  // namespace

void translate_shift_add(Writer& w, uint32_t end) {
  if (write_upper(w)) return;
  const size_t at = first_source(w.now());
  const Operand &a = w.operand(at), &b = w.operand(at + 1);
  const std::string whole = a.negated || a.inverted ? "" : write_wide_sum(w, end);
  size_t next = 0;
  std::string value = shifted(w, at, next);
  const bool has_carry = w.has(M::kX);
  if (a.negated || a.inverted) {
    const std::string other = w.word_temp();
    const bool complements = has_carry || a.inverted;
    w.step("{} {}, {};", complements ? "not.b32" : "neg.s32", other, value);
    if (has_carries(w, at) && !complements) return subtract_shifted(w, at, value, b);
    value = other;
  }
  if (!has_carries(w, at)) {
    std::vector<std::string> addends = {value, addend(w, b, has_carry)};
    if (has_carry && next < w.operands() && !is_false(w.operand(next)))
      addends.push_back(one_if(w, w.operand(next)));
    return w.set(w.operand(0), sum_of(w, addends));
  }
  if (!whole.empty() && !b.negated && !b.inverted && !has_carries_beyond(w, 2)) {
    const std::string lower = w.low(whole);
    w.result("setp.lt.u32 {}, {}, {};", w.to_predicate(w.operand(1)), lower, value);
    return w.set(w.operand(0), lower);
  }
  const std::string wide = w.wide_temp();
  w.step("cvt.u64.u32 {}, {};", wide, value);
  std::vector<std::string> addends = {wide, wide_addend(w, b, has_carry)};
  if (has_carry && next < w.operands()) {
    const std::string more = w.wide_temp();
    w.step("cvt.u64.u32 {}, {};", more, one_if(w, w.operand(next)));
    addends.push_back(more);
  }
  const std::string sum = wide_sum(w, addends);
  const std::string lower = w.low(whole.empty() ? sum : whole);
  write_carries(w, at, sum);
  w.set(w.operand(0), lower);
}

void translate_absolute(Writer& w, uint32_t) {
  const std::string a = w.integer(w.operand(1));
  w.result("abs.s32 {}, {};", w.to(w.operand(0)), a);
}

void translate_extreme(Writer& w, uint32_t) {
  if (w.has(M::kU64) || w.has(M::kS64) || w.has(M::kU8x4) || w.has(M::kS16x2) || w.has(M::kU16x2) ||
      w.has(M::kRELU))
    return w.refuse("of another width");
  const size_t at = first_source(w.now());
  if (has_carries(w, at)) return w.refuse("with predicates");
  const char* type = w.has(M::kU32) ? "u32" : "s32";
  const std::string a = w.integer(w.operand(at)), b = w.integer(w.operand(at + 1));
  write_extreme(w, std::string(".") + type, a, b, w.operand(at + 2));
}

void translate_compare_integers(Writer& w, uint32_t) {
  static const std::map<M, const char*> kNames = {{M::kLT, "lt"}, {M::kLE, "le"}, {M::kGT, "gt"},
                                                  {M::kGE, "ge"}, {M::kEQ, "eq"}, {M::kNE, "ne"}};
  const auto name = kNames.find(w.now().modifiers.list()[0]);
  if (name == kNames.end()) return w.refuse("a comparison");
  if (w.has(M::kU64) || w.has(M::kS64)) return w.refuse("of 64 bits");
  const char* type = w.has(M::kU32) ? "u32" : "s32";
  const std::string a = w.integer(w.operand(2)), b = w.integer(w.operand(3));
  if (!w.has(M::kEX)) return write_comparison(w, name->second, type, a, b);
  // Of equal upper words the lower ones decide.
  const std::string result = w.predicate_temp(), same = w.predicate_temp(), lower = w.word_temp(),
                    upper = w.word_temp(), chosen = w.word_temp();
  w.step("setp.{}.{} {}, {}, {};", name->second, type, result, a, b);
  w.step("setp.eq.u32 {}, {}, {};", same, a, b);
  w.step("selp.b32 {}, 1, 0, {};", lower, w.predicate(w.operand(5)));
  w.step("selp.b32 {}, 1, 0, {};", upper, result);
  w.step("selp.b32 {}, {}, {}, {};", chosen, lower, upper, same);
  write_comparison(w, "ne", "u32", chosen, "0");
}

void translate_dot(Writer& w, uint32_t) {
  if (!w.has(M::k4A)) return w.refuse("of halves");
  std::vector<const char*> types;
  for (const M one : w.now().modifiers.list()) {
    if (one == M::kS8) types.push_back("s32");
    if (one == M::kU8) types.push_back("u32");
  }
  types.resize(2, types.empty() ? "s32" : types[0]);
  const std::string a = w.word(w.operand(1)), b = w.word(w.operand(2)), c = w.word(w.operand(3));
  w.result("dp4a.{}.{} {}, {}, {}, {};", types[0], types[1], w.to(w.operand(0)), a, b, c);
}

}  // namespace warpledger::exec::translate
