// LLVM. mov, of {a, b} into one register and back as well, and cvta.
#include <algorithm>

#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {
namespace {

using reference::Value;

// {a, b, ..}, lowest first, or one register, as `bits`: a scalar where all are uniform.
V packed(Emitter& e, const Operand& from, unsigned bits) {
  const std::span<const Operand> parts = elements(e, from);
  const bool by_lane =
      !std::ranges::all_of(parts, [&](const Operand& part) { return is_uniform(e, part); });
  if (from.kind != Value::Kind::kList) return operand(e, from, bits, by_lane);
  const auto width = bits / static_cast<unsigned>(parts.size());
  llvm::Type* whole = by_lane ? e.lanes_of(e.integer(bits)) : e.integer(bits);
  V all = llvm::Constant::getNullValue(whole);
  for (size_t i = 0; i < parts.size(); ++i) {
    V part = e.CreateZExt(operand(e, parts[i], width, by_lane), whole);
    all = e.CreateOr(all, e.CreateShl(part, i * width));
  }
  return all;
}

}  // namespace

void emit_mov(Emitter& e, const Step& step) {
  if (step.of_first_lane)
    return write_result(e, step, in_first_lane(e, vector(e, step.operands[1], 32), e.lanes()));
  write(e, step.operands[0],
        read(e, step.operands[1], bits_of_type(step), has_lazy_result(e, step)));
}

void emit_pack(Emitter& e, const Step& step) {
  const Operand& to = step.operands[0];
  const unsigned bits = bits_of_type(step);
  V all = packed(e, step.operands[1], bits);
  if (to.kind != Value::Kind::kList) return write(e, to, lane_value(all));
  const std::span<const Operand> parts = elements(e, to);
  const auto width = bits / static_cast<unsigned>(parts.size());
  std::vector<V> values;
  for (size_t i = 0; i < parts.size(); ++i)
    values.push_back(e.CreateTrunc(e.CreateLShr(all, i * width), e.like(all, e.integer(width))));
  for (size_t i = 0; i < parts.size(); ++i) write(e, parts[i], lane_value(values[i]));
}

// A generic address is the space's own, moved by where the window of that space begins.
void emit_cvta(Emitter& e, const Step& step) {
  LaneValue value = read(e, step.operands[1], 64);
  const uint64_t window = window_of(step.spelling().space());
  V shift = e.getInt64(step.variant->has(ptx::Modifier::kTo) ? 0 - window : window);
  if (window != 0)
    value.scalar = value.scalar == nullptr ? shift : e.CreateAdd(value.scalar, shift);
  write(e, step.operands[0], value);
}

}  // namespace warpledger::exec::jit
