// Conversions.
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

/// "u8": the integer type that the modifiers name; s32 where they name none.
const char* integer_of(Writer& w) {
  struct Name {
    M modifier;
    const char* type;
  };
  constexpr Name kNames[] = {{M::kU8, "u8"},   {M::kS8, "s8"},   {M::kU16, "u16"}, {M::kS16, "s16"},
                             {M::kU32, "u32"}, {M::kU64, "u64"}, {M::kS64, "s64"}};
  for (const Name& name : kNames)
    if (w.has(name.modifier)) return name.type;
  return "s32";
}

const char* conversion_rounding(Writer& w) {
  if (w.has(M::kRZ)) return ".rz";
  if (w.has(M::kRM)) return ".rm";
  return w.has(M::kRP) ? ".rp" : ".rn";
}

/// Which way F2I and FRND round to an integer.
const char* integral_rounding(Writer& w) {
  if (w.has(M::kTRUNC)) return ".rzi";
  if (w.has(M::kFLOOR)) return ".rmi";
  return w.has(M::kCEIL) ? ".rpi" : ".rni";
}

/// Bytes and halves by their selector, widened to a word.
std::string narrow_source(Writer& w, std::string_view type) {
  const Operand& operand = w.operand(1);
  const std::string& at = operand.selector;
  const int from = at == "B1"                                  ? 8
                   : at == "B2" || at == "H1" || at == "H1_H1" ? 16
                   : at == "B3"                                ? 24
                                                               : 0;
  const std::string value = w.integer(operand);
  const int bits = type.ends_with("16") ? 16 : type.ends_with("8") ? 8 : 32;
  if (bits == 32 && from == 0) return value;
  const std::string moved = w.word_temp(), name = w.word_temp();
  w.step("shl.b32 {}, {}, {};", moved, value, bits == 32 ? 0 : 32 - bits - from);
  if (bits == 32) {
    w.step("shr.{} {}, {}, {};", type.starts_with('u') ? "u32" : "u32", name, moved, from);
    return name;
  }
  w.step("shr.{} {}, {}, {};", type.starts_with('u') ? "u32" : "s32", name, moved, 32 - bits);
  return name;
}

/// A half as a word whose upper half is zero.
void set_half(Writer& w, const std::string& half) {
  const std::string zero = w.half_temp();
  w.step("mov.b16 {}, 0;", zero);
  w.result("mov.b32 {}, {{{}, {}}};", w.to(w.operand(0)), half, zero);
}

std::string half_of(Writer& w, const Operand& operand) {
  const std::string lower = w.half_temp(), upper = w.half_temp();
  if (operand.negated || operand.absolute) w.refuse("a sign of a half");
  w.step("mov.b32 {{{}, {}}}, {};", lower, upper, w.word(operand));
  return operand.selector == "H1_H1" ? upper : lower;
}

}  // namespace

void translate_integer_to_float(Writer& w, uint32_t) {
  const std::string_view type = integer_of(w);
  const std::string source = type.ends_with("64") ? w.pair(w.operand(1)) : narrow_source(w, type);
  const std::string from = type.ends_with("64")    ? std::string(type)
                           : type.starts_with('u') ? "u32"
                                                   : "s32";
  if (w.has(M::kF64)) {
    const std::string answer = w.wide_temp();
    w.step("cvt{}.f64.{} {}, {};", conversion_rounding(w), from, answer, source);
    return w.set_pair(w.operand(0), answer);
  }
  if (w.has(M::kF16)) {
    const std::string half = w.half_temp();
    w.step("cvt{}.f16.{} {}, {};", conversion_rounding(w), from, half, source);
    return set_half(w, half);
  }
  w.result("cvt{}.f32.{} {}, {};", conversion_rounding(w), from, w.to(w.operand(0)), source);
}

void translate_float_to_integer(Writer& w, uint32_t) {
  const std::string_view type = integer_of(w);
  if (type.ends_with("8") || type.ends_with("16")) return w.refuse("a narrow integer");
  const char* from = w.has(M::kF64) ? "f64" : w.has(M::kF16) ? "f16" : "f32";
  const std::string source = w.has(M::kF64)   ? w.f64(w.operand(1))
                             : w.has(M::kF16) ? half_of(w, w.operand(1))
                                              : w.f32(w.operand(1));
  const char* ftz = w.has(M::kFTZ) && !w.has(M::kF64) && !w.has(M::kF16) ? ".ftz" : "";
  if (type.ends_with("64")) {
    const std::string answer = w.wide_temp();
    w.step("cvt{}{}.{}.{} {}, {};", integral_rounding(w), ftz, type, from, answer, source);
    return w.set_pair(w.operand(0), answer);
  }
  w.result("cvt{}{}.{}.{} {}, {};", integral_rounding(w), ftz, type, from, w.to(w.operand(0)),
           source);
}

void translate_round(Writer& w, uint32_t) {
  if (w.has(M::kF16)) return w.refuse("of halves");
  if (w.has(M::kF64)) {
    const std::string a = w.f64(w.operand(1)), answer = w.wide_temp();
    w.step("cvt{}.f64.f64 {}, {};", integral_rounding(w), answer, a);
    return w.set_pair(w.operand(0), answer);
  }
  const std::string a = w.f32(w.operand(1));
  w.result("cvt{}{}.f32.f32 {}, {};", integral_rounding(w), w.has(M::kFTZ) ? ".ftz" : "",
           w.to(w.operand(0)), a);
}

/// F2F.to.from
void translate_float_to_float(Writer& w, uint32_t) {
  std::vector<M> formats;
  for (const M one : w.now().modifiers.list())
    if (one == M::kF64 || one == M::kF32 || one == M::kF16 || one == M::kBF16)
      formats.push_back(one);
  if (formats.size() != 2) return w.refuse("formats");
  const M to = formats[0], from = formats[1];
  const char* ftz = w.has(M::kFTZ) ? ".ftz" : "";
  if (to == M::kF64 && from == M::kF32) {
    const std::string a = w.f32(w.operand(1)), answer = w.wide_temp();
    w.step("cvt{}.f64.f32 {}, {};", ftz, answer, a);
    return w.set_pair(w.operand(0), answer);
  }
  if (to == M::kF32 && from == M::kF64) {
    const std::string a = w.f64(w.operand(1));
    return w.result("cvt{}{}.f32.f64 {}, {};", conversion_rounding(w), ftz, w.to(w.operand(0)), a);
  }
  if (from != M::kF32 || (to != M::kF16 && to != M::kBF16) || *ftz != 0) return w.refuse("formats");
  const std::string a = w.f32(w.operand(1)), half = w.half_temp();
  w.step("cvt{}.{}.f32 {}, {};", conversion_rounding(w), to == M::kF16 ? "f16" : "bf16", half, a);
  set_half(w, half);
}

void translate_pack_halves(Writer& w, uint32_t) {
  if (w.has(M::kPACKABMERGEC) || w.has(M::kUNPACKB) || w.has(M::kSATFINITE) || w.has(M::kE4M3) ||
      w.has(M::kE5M2))
    return w.refuse("of bytes");
  const char* type = w.has(M::kBF16) ? "bf16x2" : "f16x2";
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2));
  w.result("cvt{}{}.{}.f32 {}, {}, {};", conversion_rounding(w), w.has(M::kRELU) ? ".relu" : "",
           type, w.to(w.operand(0)), a, b);
}

}  // namespace warpledger::exec::translate
