// Floating-point arithmetic.
#include <map>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

/// ".rn.ftz.sat": what PTX writes between an opcode and its type.
std::string rounding_of(Writer& w) {
  std::string text = ".rn";
  if (w.has(M::kRZ)) text = ".rz";
  if (w.has(M::kRM)) text = ".rm";
  if (w.has(M::kRP)) text = ".rp";
  if (w.has(M::kFTZ)) text += ".ftz";
  if (w.has(M::kSAT)) text += ".sat";
  return text;
}

const char* comparison_of(Writer& w) {
  static const std::map<M, const char*> kNames = {
      {M::kLT, "lt"},   {M::kEQ, "eq"},   {M::kLE, "le"},   {M::kGT, "gt"},   {M::kNE, "ne"},
      {M::kGE, "ge"},   {M::kNUM, "num"}, {M::kNAN, "nan"}, {M::kLTU, "ltu"}, {M::kEQU, "equ"},
      {M::kLEU, "leu"}, {M::kGTU, "gtu"}, {M::kNEU, "neu"}, {M::kGEU, "geu"}};
  for (const M one : w.now().modifiers.list())
    if (const auto found = kNames.find(one); found != kNames.end()) return found->second;
  w.refuse("a comparison");
  return "eq";
}

}  // namespace

void translate_float2(Writer& w, uint32_t) {
  const bool adds = w.now().row->opcode.ends_with("ADD");
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2));
  w.result("{}{}.f32 {}, {}, {};", adds ? "add" : "mul", rounding_of(w), w.to(w.operand(0)), a, b);
}

void translate_float3(Writer& w, uint32_t) {
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2)), c = w.f32(w.operand(3));
  w.result("fma{}.f32 {}, {}, {}, {};", rounding_of(w), w.to(w.operand(0)), a, b, c);
}

void translate_float_extreme(Writer& w, uint32_t) {
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2));
  const std::string how =
      fmt::format("{}{}", w.has(M::kFTZ) ? ".ftz" : "", w.has(M::kNAN) ? ".NaN" : "");
  write_extreme(w, how + ".f32", a, b, w.operand(3));
}

void translate_compare_float(Writer& w, uint32_t) {
  const std::string a = w.f32(w.operand(2)), b = w.f32(w.operand(3));
  write_comparison(w, comparison_of(w), w.has(M::kFTZ) ? "ftz.f32" : "f32", a, b);
}

void translate_set_float(Writer& w, uint32_t) {
  if (w.has(M::kFTZ)) return w.refuse("flushing");
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2)),
                    other = w.predicate(w.operand(3)), both = w.predicate_temp();
  const char* with = w.has(M::kOR) ? "or" : w.has(M::kXOR) ? "xor" : "and";
  w.step("setp.{}.{}.f32 {}|%pz, {}, {}, {};", comparison_of(w), with, both, a, b, other);
  w.result("selp.b32 {}, {}, 0, {};", w.to(w.operand(0)), w.has(M::kBF) ? "0x3f800000" : "-1",
           both);
}

/// machine/float.cpp, check_division().
void translate_check_division(Writer& w, uint32_t) {
  const auto exponent = [&](size_t i) {
    const std::string moved = w.word_temp(), bits = w.word_temp();
    w.step("shr.u32 {}, {}, 23;", moved, w.word(w.operand(i)));
    w.step("and.b32 {}, {}, 255;", bits, moved);
    return bits;
  };
  const std::string a = exponent(1), b = exponent(2), apart = w.word_temp();
  w.step("sub.s32 {}, {}, {};", apart, a, b);
  std::string slow = "%pf";
  const auto also = [&](const char* compare, const std::string& value, int limit) {
    const std::string next = w.predicate_temp();
    w.step("setp.{}.or.s32 {}|%pz, {}, {}, {};", compare, next, value, limit, slow);
    slow = next;
  };
  also("le", a, 24);
  also("eq", a, 255);
  also("eq", b, 0);
  also("ge", b, 253);
  also("gt", apart, 125);
  also("le", apart, -125);
  w.set_predicate(w.operand(0), slow);
}

void translate_approximation(Writer& w, uint32_t) {
  static const std::map<M, const char*> kNames = {
      {M::kRCP, "rcp.approx.ftz.f32"},   {M::kRSQ, "rsqrt.approx.ftz.f32"},
      {M::kSQRT, "sqrt.approx.ftz.f32"}, {M::kEX2, "ex2.approx.ftz.f32"},
      {M::kLG2, "lg2.approx.ftz.f32"},   {M::kTANH, "tanh.approx.f32"}};
  const M which = w.now().modifiers.list()[0];
  const std::string a = w.f32(w.operand(1));
  if (const auto known = kNames.find(which); known != kNames.end())
    return w.result("{} {}, {};", known->second, w.to(w.operand(0)), a);
  if (which != M::kRCP64H && which != M::kRSQ64H) return w.refuse("a function");
  const std::string wide = w.wide_temp(), answer = w.wide_temp();
  w.step("mov.b64 {}, {{0, {}}};", wide,
         w.now().operands[1].kind == OperandKind::kImmediate ? w.word(w.operand(1)) : a);
  w.step("{}.approx.ftz.f64 {}, {};", which == M::kRCP64H ? "rcp" : "rsqrt", answer, wide);
  w.set(w.operand(0), w.high(answer));
}

void translate_double(Writer& w, uint32_t) {
  const std::string_view opcode = w.now().row->opcode;
  const std::string a = w.f64(w.operand(1)), answer = w.wide_temp();
  const std::string b = w.f64(opcode == "DADD" ? w.now().operands.back() : w.operand(2));
  if (opcode == "DFMA") {
    const std::string c = w.f64(w.operand(3));
    w.step("fma{}.f64 {}, {}, {}, {};", rounding_of(w), answer, a, b, c);
  } else {
    w.step("{}{}.f64 {}, {}, {};", opcode == "DADD" ? "add" : "mul", rounding_of(w), answer, a, b);
  }
  w.set_pair(w.operand(0), answer);
}

namespace {

/// DSETP.MIN p, q, a, b, other: whether a is the smaller one, and whether both are NaN
/// (machine/float.cpp, compare_f64()).
void choose_double(Writer& w, const std::string& a, const std::string& b) {
  const bool is_min = w.has(M::kMIN);
  const auto test = [&](const std::string& how, const std::string& x, const std::string& y) {
    const std::string name = w.predicate_temp();
    w.step("setp.{} {}, {}, {};", how, name, x, y);
    return name;
  };
  const auto both = [&](const char* how, const std::string& x, const std::string& y) {
    const std::string name = w.predicate_temp();
    w.step("{}.pred {}, {}, {};", how, name, x, y);
    return name;
  };
  const std::string other = w.predicate(w.operand(4));
  const std::string beyond = test(is_min ? "lt.f64" : "gt.f64", a, b), same = test("eq.f64", a, b),
                    sign = test(is_min ? "lt.s64" : "ge.s64", a, "0"),
                    a_is_number = test("num.f64", a, a), a_is_nan = test("nan.f64", a, a),
                    b_is_nan = test("nan.f64", b, b);
  const std::string takes =
      both("or", both("or", beyond, both("and", same, sign)), both("and", a_is_number, b_is_nan));
  const std::string none = both("and", both("and", a_is_nan, b_is_nan), other);
  w.set_predicate(w.operand(0), both("and", takes, other));
  w.set_predicate(w.operand(1), none);
}

}  // namespace

void translate_compare_double(Writer& w, uint32_t) {
  if (w.has(M::kMIN) || w.has(M::kMAX))
    return choose_double(w, w.f64(w.operand(2)), w.f64(w.operand(3)));
  const std::string a = w.f64(w.operand(2)), b = w.f64(w.operand(3));
  write_comparison(w, comparison_of(w), "f64", a, b);
}

namespace {

/// An operand of two halves, with its selector and signs.
std::string halves(Writer& w, const Operand& operand) {
  std::string value = w.word(operand);
  const auto apply = [&](const char* op, const std::string& with) {
    const std::string name = w.word_temp();
    w.step("{} {}, {}, {};", op, name, value, with);
    value = name;
  };
  const bool lower = operand.selector == "H0_H0", upper = operand.selector == "H1_H1";
  if (lower || upper) {
    const std::string name = w.word_temp();
    w.step("prmt.b32 {}, {}, {}, {};", name, value, value, lower ? "0x1010" : "0x3232");
    value = name;
  }
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.absolute) apply("and.b32", "0x7fff7fff");
  if (operand.negated) apply("xor.b32", "0x80008000");
  return value;
}

/// HADD2.F32: the sum of the lower halves, widened first.
void add_widened(Writer& w) {
  const auto wide = [&](size_t i) {
    const std::string half = w.half_temp(), rest = w.half_temp(), name = w.word_temp();
    w.step("mov.b32 {{{}, {}}}, {};", half, rest, halves(w, w.operand(i)));
    w.step("cvt.f32.{} {}, {};", w.has(M::kBF16V2) ? "bf16" : "f16", name, half);
    return name;
  };
  const std::string a = wide(1), b = wide(2);
  w.result("add{}.f32 {}, {}, {};", rounding_of(w), w.to(w.operand(0)), a, b);
}

}  // namespace

void translate_half(Writer& w, uint32_t) {
  const std::string_view opcode = w.now().row->opcode;
  if (w.has(M::kF32)) return add_widened(w);
  const char* type = w.has(M::kBF16V2) ? "bf16x2" : "f16x2";
  const std::string a = halves(w, w.operand(1)), b = halves(w, w.operand(2));
  std::string how = rounding_of(w);
  if (w.has(M::kRELU)) how += ".relu";
  if (opcode != "HFMA2")
    return w.result("{}{}.{} {}, {}, {};", opcode == "HADD2" ? "add" : "mul", how, type,
                    w.to(w.operand(0)), a, b);
  const std::string c = halves(w, w.operand(3));
  w.result("fma{}.{} {}, {}, {}, {};", how, type, w.to(w.operand(0)), a, b, c);
}

}  // namespace warpledger::exec::translate
