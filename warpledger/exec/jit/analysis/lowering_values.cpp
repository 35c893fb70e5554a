// Rules of lowerings.def: arithmetic, bits, comparison and selection.
#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using reference::Step;
using reference::Value;

// One result from plain operands.
bool is_value(const Step& step) { return step.operands.size() > 1 && all_plain(step); }

bool is_integer_type(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  return !type.is_float && type.count == 1 && type.bits >= 8 && type.bits <= 64;
}

bool is_upper_half(const Step& step) { return step.variant->get(Slot::kHalf) == Modifier::kHi; }

// Approximations that answer with the nearest value (numeric/approximate.h).
bool is_nearest_anyway(const Step& step) {
  const Variant& v = *step.variant;
  if (v.type[0].bits != 32 || !is_plain_float(v.type[0]) || v.type[1].bits != 0) return false;
  return step.spelling().op() == Op::kDiv ? v.has(Modifier::kFull) : v.has(Modifier::kApprox);
}

// Of 16 bits only what keeps its subnormals.
bool is_packed(const Variant& v) {
  const TypeInfo& type = v.type[0];
  if (!type.is_float || type.count > 2) return false;
  if (type.format == numeric::kF32) return type.count == 2;
  return (type.format == numeric::kF16 || type.format == numeric::kBf16) && !v.mode.ftz;
}

}  // namespace

// Nothing clamped, nothing carried.
bool can_integer(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_integer_type(step) && !v.mode.sat && !v.mode.relu &&
         !v.has(Modifier::kCc);
}

// Of 32 or 64 bits. The carry is a variable of the kernel, so all that use it are compiled
// (analysis.cpp refuses the others).
bool can_carry(const Step& step) {
  return carries(step.spelling()) && is_value(step) && is_integer_type(step) &&
         step.variant->type[0].bits >= 32;
}

bool can_product(const Step& step) { return can_integer(step) && !is_upper_half(step); }

bool can_upper_product(const Step& step) {
  return can_integer(step) && is_upper_half(step) && step.variant->type[0].bits >= 32;
}

// Integers of 32 or 64 bits.
bool can_divide(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  return is_value(step) && !type.is_float && type.bits >= 32;
}

bool can_dot(const Step& step) { return is_value(step) && step.operands.size() == 4; }

// One float type, to nearest, nothing clamped.
bool can_float(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_plain_float(v.type[0]) && v.type[1].bits == 0 &&
         v.mode.rounding == Rounding::kNearestEven && !v.mode.sat && !v.mode.relu &&
         !v.has(Modifier::kApprox) && !v.has(Modifier::kFull) && !v.has(Modifier::kOob);
}

bool can_nearest(const Step& step) {
  return can_float(step) || (is_value(step) && is_nearest_anyway(step));
}

// f16, bf16, f16x2, bf16x2, f32x2 to nearest, nothing clamped.
bool can_packed(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_packed(v) && v.type[1].bits == 0 &&
         v.mode.rounding == Rounding::kNearestEven && !v.mode.sat && !v.mode.relu &&
         !v.has(Modifier::kOob);
}

bool can_packed_sign(const Step& step) { return is_value(step) && is_packed(*step.variant); }

// f32, rounded down, up or towards zero.
bool can_directed(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_f32(v.type[0]) && v.type[1].bits == 0 &&
         (v.mode.rounding == Rounding::kDown || v.mode.rounding == Rounding::kUp ||
          v.mode.rounding == Rounding::kZero) &&
         !v.mode.sat && !v.mode.relu && !v.has(Modifier::kOob);
}

bool can_float_sign(const Step& step) {
  return is_value(step) && is_plain_float(step.variant->type[0]);
}

bool can_float_extreme(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_plain_float(v.type[0]) && !v.has(Modifier::kXorsign) &&
         !v.has(Modifier::kAbs) && step.operands.size() <= 4;
}

bool can_approximate(const Step& step) {
  const Variant& v = *step.variant;
  return is_value(step) && is_f32(v.type[0]) && v.type[1].bits == 0 && step.operands.size() == 2;
}

bool can_logic(const Step& step) {
  return is_value(step) && (is_integer_type(step) || step.variant->type[0].is_predicate);
}

bool can_shift(const Step& step) { return is_value(step) && is_integer_type(step); }

// With a table that is a constant.
bool can_lop3(const Step& step) {
  return is_value(step) && step.operands.size() == 5 &&
         step.operands[4].kind == Value::Kind::kImmediate;
}

// bfe, bfi.
bool can_field(const Step& step) {
  const int bits = step.variant->type[0].bits;
  return is_value(step) && (bits == 32 || bits == 64);
}

// With a selector that is a constant.
bool can_prmt(const Step& step) {
  return is_value(step) && step.operands.size() == 4 &&
         step.operands[3].kind == Value::Kind::kImmediate &&
         step.variant->get(Slot::kOperation) == Modifier::kNone;
}

bool can_shf(const Step& step) { return is_value(step); }

bool can_selp(const Step& step) { return is_value(step) && step.variant->type[0].bits <= 64; }

// To d or d|q, registers or sinks.
bool can_setp(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  const Value& to = step.operands[0];
  const bool known = to.kind == Value::Kind::kRegister || to.kind == Value::Kind::kList;
  if (type.count != 1 || (type.is_float && !is_plain_float(type)) || !known) return false;
  for (size_t i = 1; i < step.operands.size(); ++i) {
    if (!is_plain(step.operands[i])) return false;
  }
  return true;
}

}  // namespace warpledger::exec::jit
