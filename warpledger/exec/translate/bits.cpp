// Bits: logic, shifts, permutations, counts.
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;
using machine::kTruePredicate;

bool is_immediate(const Operand& operand) { return operand.kind == OperandKind::kImmediate; }

}  // namespace

void translate_logic(Writer& w, uint32_t) {
  const size_t at = is_predicate(w.operand(0)) ? 1 : 0;
  const std::string a = w.integer(w.operand(at + 1)), b = w.integer(w.operand(at + 2)),
                    c = w.integer(w.operand(at + 3));
  const uint32_t table = w.operand(at + 4).immediate & 255;
  if (at == 0 || w.operand(0).index == kTruePredicate)
    return w.result("lop3.b32 {}, {}, {}, {}, {};", w.to(w.operand(at)), a, b, c, table);
  const std::string value = w.word_temp();
  w.step("lop3.b32 {}, {}, {}, {}, {};", value, a, b, c, table);
  const std::string to = w.to_predicate(w.operand(0));
  if (w.operands() > 6) {
    const std::string other = w.predicate(w.operand(6));
    w.result("setp.ne.{}.u32 {}|%pz, {}, 0, {};", w.has(M::kPAND) ? "and" : "or", to, value, other);
  } else if (w.has(M::kPAND)) {
    w.result("mov.pred {}, %pf;", to);
  } else {
    w.result("setp.ne.u32 {}, {}, 0;", to, value);
  }
  w.set(w.operand(at), value);
}

void translate_predicates(Writer& w, uint32_t) {
  std::vector<std::string> in;
  for (size_t i = 2; i < 5; ++i) {
    in.push_back(w.word_temp());
    w.step("selp.b32 {}, -1, 0, {};", in.back(), w.predicate(w.operand(i)));
  }
  std::string out[2];
  for (size_t i = 0; i < 2; ++i) {
    out[i] = w.word_temp();
    w.step("lop3.b32 {}, {}, {}, {}, {};", out[i], in[0], in[1], in[2],
           w.operand(5 + i).immediate & 255);
  }
  for (size_t i = 0; i < 2; ++i)
    if (w.operand(i).index != kTruePredicate)
      w.result("setp.ne.u32 {}, {}, 0;", w.to_predicate(w.operand(i)), out[i]);
}

namespace {

/// Of 64 bits as they stand: shifted by a number that is below 64, or any.
void shift_wide(Writer& w, const std::string& by) {
  const std::string lower = w.integer(w.operand(1)), upper = w.integer(w.operand(3));
  const std::string whole = w.wide_temp(), moved = w.wide_temp();
  w.step("mov.b64 {}, {{{}, {}}};", whole, lower, upper);
  const bool is_signed = w.has(M::kS32) || w.has(M::kS64);
  w.step("{} {}, {}, {};",
         !w.has(M::kR) ? "shl.b64"
         : is_signed   ? "shr.s64"
                       : "shr.u64",
         moved, whole, by);
  w.set(w.operand(0), w.has(M::kHI) ? w.high(moved) : w.low(moved));
}

}  // namespace

/// The pair c:a shifted by b, its upper or lower word.
void translate_shift(Writer& w, uint32_t) {
  const bool is_wide = w.has(M::kS64) || w.has(M::kU64), wraps = w.has(M::kW);
  const bool is_signed = w.has(M::kS32) || w.has(M::kS64);
  std::string by = w.integer(w.operand(2));
  if (is_immediate(w.operand(2))) {
    const uint32_t bits = is_wide ? 64 : 32, count = w.operand(2).immediate;
    by = std::to_string(wraps ? count & (bits - 1) : std::min(count, bits));
  } else if (wraps) {
    const std::string less = w.word_temp();
    w.step("and.b32 {}, {}, {};", less, by, is_wide ? 63 : 31);
    by = less;
  }
  if (!w.has(M::kR) && !w.has(M::kHI)) {
    const std::string a = w.integer(w.operand(1));
    return w.result("shl.b32 {}, {}, {};", w.to(w.operand(0)), a, by);
  }
  if (w.has(M::kR) && w.has(M::kHI)) {
    const std::string c = w.integer(w.operand(3));
    return w.result("shr.{} {}, {}, {};", is_signed ? "s32" : "u32", w.to(w.operand(0)), c, by);
  }
  if (is_wide && !(is_immediate(w.operand(2)) && std::stoul(by) <= 32)) return shift_wide(w, by);
  const std::string a = w.integer(w.operand(1)), c = w.integer(w.operand(3));
  w.result("shf.{}.clamp.b32 {}, {}, {}, {};", w.has(M::kR) ? "r" : "l", w.to(w.operand(0)), a, c,
           by);
}

void translate_permute(Writer& w, uint32_t) {
  if (!w.now().modifiers.list().empty()) return w.refuse("a mode");
  const std::string a = w.integer(w.operand(1)), selector = w.integer(w.operand(2)),
                    b = w.integer(w.operand(3));
  w.result("prmt.b32 {}, {}, {}, {};", w.to(w.operand(0)), a, b, selector);
}

void translate_count_bits(Writer& w, uint32_t) {
  const std::string a = w.integer(w.operand(1));
  w.result("popc.b32 {}, {};", w.to(w.operand(0)), a);
}

void translate_reverse(Writer& w, uint32_t) {
  const std::string a = w.integer(w.operand(1));
  w.result("brev.b32 {}, {};", w.to(w.operand(0)), a);
}

void translate_find_leading(Writer& w, uint32_t) {
  const std::string a = w.integer(w.operand(1));
  std::string value = a;
  if (!w.has(M::kU32)) {  // the highest bit that is not the sign
    const std::string sign = w.word_temp();
    value = w.word_temp();
    w.step("shr.s32 {}, {}, 31;", sign, a);
    w.step("xor.b32 {}, {}, {};", value, a, sign);
  }
  const std::string zeros = w.word_temp(), place = w.word_temp(), none = w.predicate_temp();
  w.step("clz.b32 {}, {};", zeros, value);
  w.step("setp.eq.u32 {}, {}, 0;", none, value);
  if (w.has(M::kSH))
    w.step("mov.b32 {}, {};", place, zeros);
  else
    w.step("sub.u32 {}, 31, {};", place, zeros);
  w.result("selp.b32 {}, -1, {}, {};", w.to(w.operand(0)), place, none);
}

void translate_extend(Writer& w, uint32_t) {
  if (!is_immediate(w.operand(2))) return w.refuse("a width by register");
  const uint32_t width = w.operand(2).immediate;
  if (width == 0 || width > 31) return w.refuse("a width");
  const std::string a = w.integer(w.operand(1)), moved = w.word_temp();
  w.step("shl.b32 {}, {}, {};", moved, a, 32 - width);
  w.result("shr.{} {}, {}, {};", w.has(M::kU32) ? "u32" : "s32", w.to(w.operand(0)), moved,
           32 - width);
}

void translate_mask(Writer& w, uint32_t) {
  const std::string at = w.integer(w.operand(1)), length = w.integer(w.operand(2));
  w.result("bmsk.{}.b32 {}, {}, {};", w.has(M::kW) ? "wrap" : "clamp", w.to(w.operand(0)), at,
           length);
}

}  // namespace warpledger::exec::translate
