// Rules of lowerings.def: mov, cvta, cvt.
#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Slot;
using reference::Step;
using reference::Value;

bool is_part(const Value& value, uint16_t bits) {
  if (value.kind == Value::Kind::kSink || value.kind == Value::Kind::kImmediate) return true;
  return value.kind == Value::Kind::kRegister && value.count <= 1 && value.bits == bits;
}

// One value to one value, nothing clamped.
bool is_plain_cvt(const Step& step) {
  const Variant& v = *step.variant;
  return all_plain(step) && step.operands.size() == 2 && v.type[0].count == 1 &&
         v.type[1].count == 1 && !v.mode.sat && !v.mode.relu;
}

bool is_to_nearest(const Step& step) {
  const Modifier rounding = step.variant->get(Slot::kRounding);
  return rounding == Modifier::kRn || rounding == Modifier::kNone;
}

}  // namespace

bool can_mov(const Step& step) { return all_plain(step) && step.variant->type[0].bits <= 64; }

// mov.b32 d, {a, b} and back.
bool can_pack(const Step& step) {
  if (step.operands.size() != 2) return false;
  const int bits = step.variant->type[0].bits;
  if (bits != 32 && bits != 64) return false;
  bool list = false;
  for (const Value& value : step.operands) {
    if (value.kind != Value::Kind::kList) {
      if (!is_part(value, static_cast<uint16_t>(bits))) return false;
      continue;
    }
    list = true;
    // Register sizes are looked at when it is emitted: read() and write() cut and extend.
    if (value.count == 0 || bits % static_cast<int>(value.count) != 0) return false;
  }
  return list;
}

bool can_cvta(const Step& step) { return all_plain(step) && step.variant->type[0].bits == 64; }

// cvt.rn from one or two f32 to f16, bf16 or a pair of them.
bool can_narrow(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  const bool formats = to.is_float && (to.format == numeric::kF16 || to.format == numeric::kBf16);
  return all_plain(step) && formats && is_f32(from) && to.count <= 2 &&
         step.operands.size() == 1 + static_cast<size_t>(to.count) &&
         v.get(Slot::kRounding) == Modifier::kRn && !v.mode.sat && !v.mode.relu && !v.mode.ftz &&
         !v.has(Modifier::kSatfinite);
}

// From f32 (rounded to an integer, perhaps clamped to [0, 1]), f16 or bf16.
bool can_convert_to_f32(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  if (!all_plain(step) || step.operands.size() != 2 || v.mode.relu) return false;
  if (!is_f32(to) || step.spelling().type() == ptx::Type::kTf32 || v.has(Modifier::kSatfinite))
    return false;
  const Modifier rounding = v.get(Slot::kRounding);
  const bool to_integer = rounding == Modifier::kRni || rounding == Modifier::kRzi ||
                          rounding == Modifier::kRmi || rounding == Modifier::kRpi;
  if (is_f32(from)) return rounding == Modifier::kNone || to_integer;
  return from.is_float && from.count == 1 && rounding == Modifier::kNone && !v.mode.ftz &&
         (from.format == numeric::kF16 || from.format == numeric::kBf16);
}

bool can_convert_integer(const Step& step) {
  const Variant& v = *step.variant;
  return is_plain_cvt(step) && !v.type[0].is_float && !v.type[1].is_float;
}

bool can_convert_from_integer(const Step& step) {
  const Variant& v = *step.variant;
  return is_plain_cvt(step) && is_plain_float(v.type[0]) && !v.type[1].is_float &&
         v.type[1].bits >= 32 && is_to_nearest(step);
}

bool can_convert_to_integer(const Step& step) {
  const Variant& v = *step.variant;
  return is_plain_cvt(step) && !v.type[0].is_float && v.type[0].bits == 32 &&
         is_plain_float(v.type[1]) && v.type[1].bits == 32;
}

// f32 to f64 and back.
bool can_convert_float(const Step& step) {
  const TypeInfo &to = step.variant->type[0], &from = step.variant->type[1];
  return is_plain_cvt(step) && is_plain_float(to) && is_plain_float(from) && to.bits != from.bits &&
         is_to_nearest(step);
}

}  // namespace warpledger::exec::jit
