// Rules of lowerings.def: loads, stores, copies, matrices, and exchanges between lanes.
#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using reference::Step;
using reference::Value;

// A list is one of registers, sinks and constants.
bool can_access(const Step& step, size_t address, size_t data) {
  const Value& value = step.operands[data];
  const bool known =
      value.kind == Value::Kind::kList ||
      (step.spelling().vector == 1 && (is_plain(value) || value.kind == Value::Kind::kSink));
  return is_addressed(step.operands[address]) && step.variant->type[0].bits <= 64 &&
         step.variant->type[0].bits >= 8 && step.spelling().vector <= 4 && known;
}

bool is_register_or_constant(const Value& value) {
  return value.kind == Value::Kind::kImmediate ||
         (value.kind == Value::Kind::kRegister && value.count <= 1);
}

bool has_known_sources(const Step& step) {
  return !step.operands.empty() && step.spelling().tier() != ptx::Tier::kParsed &&
         std::all_of(step.operands.begin() + 1, step.operands.end(), is_register_or_constant);
}

}  // namespace

bool can_load(const Step& step) { return can_access(step, 1, 0); }
bool can_store(const Step& step) { return can_access(step, 0, 1); }

// [shared], [global], a size, perhaps how much of the source is read.
bool can_copy(const Step& step) {
  if (step.operands.size() < 3 || step.operands.size() > 4) return false;
  const uint64_t size = step.operands[2].value;
  const bool hinted = step.variant->has(Modifier::kL2CacheHint);
  const bool given = step.operands.size() < 4 || is_register_or_constant(step.operands.back());
  return step.operands[2].kind == Value::Kind::kImmediate && !hinted && given &&
         (size == 4 || size == 8 || size == 16) && is_addressed(step.operands[0]) &&
         is_addressed(step.operands[1]);
}

bool can_wait_group(const Step& step) { return step.operands[0].kind == Value::Kind::kImmediate; }

// Operands of 32-bit registers, at most four each.
bool can_mma(const Step& step) {
  if (step.spelling().tier() != ptx::Tier::kAmpere || step.operands.size() != 4) return false;
  for (const Value& operand : step.operands) {
    const bool list = operand.kind == Value::Kind::kList && operand.count <= MatrixOperands::kMost;
    const bool one = operand.kind == Value::Kind::kRegister && operand.count == 1;
    if (!list && !one) return false;
  }
  for (int i = 0; i < step.spelling().type_count; ++i) {
    if (step.spelling().type(i) == ptx::Type::kF64) return false;
  }
  return true;
}

// m8n8 .b16 by shared or generic addresses, 32-bit registers.
bool can_move_matrix(const Step& step) {
  const size_t address = step.spelling().op() == Op::kLdmatrix ? 1 : 0;
  if (step.spelling().tier() != ptx::Tier::kAmpere || step.operands.size() != 2) return false;
  const Value &at = step.operands[address], &data = step.operands[1 - address];
  const auto registers = static_cast<uint32_t>(matrices_of(step));
  const bool held =
      data.kind == Value::Kind::kList ? data.count == registers : registers == 1 && data.count == 1;
  return held && is_addressed(at);
}

bool can_exchange(const Step& step) {
  return has_known_sources(step) && step.operands[0].kind == Value::Kind::kRegister;
}

bool can_shfl(const Step& step) {
  if (can_exchange(step)) return true;
  return has_known_sources(step) && step.operands[0].kind == Value::Kind::kList &&
         step.operands[0].count == 2;
}

bool can_redux(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  return can_exchange(step) && !type.is_float && type.bits == 32;
}

bool can_warp_barrier(const Step& step) {
  return !step.operands.empty() && step.spelling().tier() != ptx::Tier::kParsed &&
         is_register_or_constant(step.operands[0]);
}

bool is_lowered_copy(const Step& step) {
  return step.spelling().op() == Op::kCpAsync && is_lowered(step);
}

}  // namespace warpledger::exec::jit
