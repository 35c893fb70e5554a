// cvt in all its forms, and cvt.pack.
#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using numeric::Conversion;
using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Type;

Conversion conversion(const Variant& v) {
  return {.round = {.rounding = v.mode.rounding, .satfinite = v.has(Modifier::kSatfinite)},
          .ftz = v.mode.ftz,
          .sat = v.mode.sat,
          .relu = v.mode.relu};
}

bool rounds_to_integer(Modifier modifier) {
  return modifier == Modifier::kRni || modifier == Modifier::kRzi || modifier == Modifier::kRmi ||
         modifier == Modifier::kRpi;
}

uint64_t float_to_float(const Variant& v, uint64_t bits) {
  const numeric::Format to = v.type[0].format, from = v.type[1].format;
  const Conversion how = conversion(v);
  if (v.spelling->type() == Type::kTf32) return numeric::to_tf32(bits, how);
  if (rounds_to_integer(v.get(Slot::kRounding))) {
    if (v.mode.ftz && from == numeric::kF32) bits = numeric::flush(from, bits);
    bits = numeric::round_to_integral(from, bits, v.mode.rounding);
  }
  // f64 to f64 keeps a NaN's payload: nothing is converted.
  if (to == numeric::kF64 && from == to && !v.mode.sat) return bits;
  return numeric::convert(to, from, bits, how);
}

// One value to one value.
uint64_t scalar(const Variant& v, const Inputs& in) {
  const TypeInfo &to = v.type[0], &from = v.type[1];
  if (to.is_float && from.is_float) return float_to_float(v, in[0]);
  if (to.is_float) return numeric::from_integer(to.format, from.integer(), in[0], conversion(v));
  if (!from.is_float)
    return numeric::convert_integer(to.integer(), from.integer(), in[0], v.mode.sat);
  const bool flushed = v.mode.ftz && from.format == numeric::kF32;
  const uint64_t bits = flushed ? numeric::flush(from.format, in[0]) : in[0];
  return numeric::to_integer(to.integer(), from.format, bits, v.mode.rounding);
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. Formats of 6 bits take a byte each.
uint64_t pack_two(const Variant& v, const Inputs& in) {
  const Conversion how = conversion(v);
  const TypeInfo &to = v.type[0], &from = v.type[1];
  return numeric::convert(to.format, from.format, in[0], how) << to.element_bits |
         numeric::convert(to.format, from.format, in[1], how);
}

// cvt.rn.f16x2.e4m3x2 and back: element by element.
uint64_t each_of_two(const Variant& v, const Inputs& in) {
  const Conversion how = conversion(v);
  const TypeInfo &to = v.type[0], &from = v.type[1];
  uint64_t result = 0;
  for (int i = 0; i < 2; ++i) {
    const uint64_t mask = (uint64_t{1} << from.element_bits) - 1;
    const uint64_t element = (in[0] >> (i * from.element_bits)) & mask;
    result |= numeric::convert(to.format, from.format, element, how) << (i * to.element_bits);
  }
  return result;
}

// ue8m0x2: powers of two, a byte each.
uint64_t pack_powers_of_two(const Variant& v, const Inputs& in) {
  const bool satfinite = v.has(Modifier::kSatfinite);
  return numeric::to_ue8m0(in[0], v.mode.rounding, satfinite) << 8 |
         numeric::to_ue8m0(in[1], v.mode.rounding, satfinite);
}
uint64_t each_power_of_two(const Variant& v, const Inputs& in) {
  Inputs halves{.value = {in[0] >> 16 << 16, in[0] << 16 & 0xffffffff}, .count = 2};  // bf16 to f32
  return pack_powers_of_two(v, halves);
}
uint64_t expand_powers_of_two(const Variant&, const Inputs& in) {
  return numeric::from_ue8m0_to_bf16((in[0] >> 8) & 0xff) << 16 |
         numeric::from_ue8m0_to_bf16(in[0] & 0xff);
}

// cvt.pack.sat.u8.s32.b32 d, a, b, c: c shifted up, then a above b, each clamped.
uint64_t pack_clamped(const Variant& v, const Inputs& in) {
  const TypeInfo& to = v.type[0];
  const auto clamped = [&](uint64_t value) {
    return numeric::convert_integer(to.integer(), {32, true}, value, true) & to.mask();
  };
  const uint64_t above = in.count == 3 ? in[2] << (2 * to.bits) : 0;
  return (above | clamped(in[0]) << to.bits | clamped(in[1])) & 0xffffffff;
}

}  // namespace

Pure find_convert(const ptx::Spelling& spelling) {
  if (spelling.op() == Op::kCvtPack) return pack_clamped;
  if (spelling.op() != Op::kCvt) return nullptr;
  const TypeInfo to = type_info(spelling.type(0)), from = type_info(spelling.type(1));
  const bool unknown = to.count == 4 || spelling.has(Modifier::kScaledN2Ue8m0) ||
                       spelling.has(Modifier::kRs) || spelling.type(0) == Type::kS2f6x2 ||
                       spelling.type(1) == Type::kS2f6x2;
  if (unknown) return nullptr;
  if (spelling.type(0) == Type::kUe8m0x2)
    return from.count == 2 ? each_power_of_two : pack_powers_of_two;
  if (spelling.type(1) == Type::kUe8m0x2) return expand_powers_of_two;
  if (to.count == 2 && from.count == 2) return each_of_two;
  return to.count == 2 ? pack_two : scalar;
}

}  // namespace warpledger::exec
