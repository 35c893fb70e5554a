#include "warpledger/exec/jit/analysis/lowering.h"

#include "warpledger/exec/interpreter/state.h"
#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/exec/jit/runtime/warp_context.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {
namespace {

using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::SpecialRegister;
using reference::Step;
using reference::Value;

constexpr uint32_t kMostMatrixRegisters = MatrixOperands::kMost;

bool is_known_special(const Value& value) {
  switch (static_cast<SpecialRegister>(value.slot)) {
    case SpecialRegister::kTid:
    case SpecialRegister::kNtid:
    case SpecialRegister::kCtaid:
    case SpecialRegister::kNctaid:
      return value.component < 3;
    case SpecialRegister::kLaneid:
    case SpecialRegister::kWarpid:
      return true;
    default:
      return false;
  }
}

bool is_plain(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kRegister:
      return value.count == 1 && value.bits <= 64;
    case Value::Kind::kImmediate:
      return true;
    case Value::Kind::kSpecial:
      return is_known_special(value);
    default:
      return false;
  }
}

bool is_integer(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  return !type.is_float && type.count == 1 && type.bits >= 8 && type.bits <= 64;
}
bool is_plain_float(const TypeInfo& type) {
  return type.is_float && type.count == 1 &&
         (type.format == numeric::kF32 || type.format == numeric::kF64);
}
// One float type, to nearest, nothing clamped.
bool is_float(const Step& step) {
  const Variant& v = *step.variant;
  return is_plain_float(v.type[0]) && v.type[1].bits == 0 &&
         v.mode.rounding == Rounding::kNearestEven && !v.mode.sat && !v.mode.relu &&
         !v.has(Modifier::kApprox) && !v.has(Modifier::kFull) && !v.has(Modifier::kOob);
}
// Approximations that answer with the nearest value (numeric/approximate.h).
bool is_nearest_anyway(const Step& step) {
  const Variant& v = *step.variant;
  if (v.type[0].bits != 32 || !is_plain_float(v.type[0]) || v.type[1].bits != 0) return false;
  return step.spelling().op() == Op::kDiv ? v.has(Modifier::kFull) : v.has(Modifier::kApprox);
}
bool carries(const Step& step) { return step.variant->has(Modifier::kCc); }

bool is_lowered_arithmetic(const Step& step) {
  const Variant& v = *step.variant;
  const bool integer = is_integer(step) && !v.mode.sat && !carries(step) && !v.mode.relu;
  switch (step.spelling().op()) {
    case Op::kAdd:
    case Op::kSub:
      return integer || is_float(step);
    case Op::kMul:
    case Op::kMad:
      return (integer && (v.get(Slot::kHalf) != Modifier::kHi || v.type[0].bits == 32)) ||
             is_float(step);
    case Op::kFma:
      return is_float(step);
    case Op::kDiv:
    case Op::kSqrt:
    case Op::kRcp:
      return is_float(step) || is_nearest_anyway(step);
    case Op::kAbs:
    case Op::kNeg:
      return integer || is_plain_float(v.type[0]);
    case Op::kMin:
    case Op::kMax:
      if (integer) return true;
      return is_plain_float(v.type[0]) && !v.has(Modifier::kXorsign) && !v.has(Modifier::kAbs) &&
             step.operands.size() == 3;
    case Op::kPopc:
    case Op::kClz:
    case Op::kBrev:
      return integer;
    default:
      return false;
  }
}

bool is_lowered_logic(const Step& step) {
  const Variant& v = *step.variant;
  switch (step.spelling().op()) {
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
      return is_integer(step) || v.type[0].is_predicate;
    case Op::kShl:
    case Op::kShr:
      return is_integer(step);
    case Op::kSelp:
      return v.type[0].bits <= 64;
    case Op::kLop3:
      return step.operands.size() == 5 && step.operands[4].kind == Value::Kind::kImmediate;
    default:
      return false;
  }
}

// d or d|q, both registers or sinks.
bool has_predicates(const Step& step) {
  const Value& to = step.operands[0];
  return to.kind == Value::Kind::kRegister || to.kind == Value::Kind::kList;
}

bool is_lowered_setp(const Step& step) {
  const TypeInfo& type = step.variant->type[0];
  if (type.count != 1 || (type.is_float && !is_plain_float(type)) || !has_predicates(step))
    return false;
  for (size_t i = 1; i < step.operands.size(); ++i) {
    if (!is_plain(step.operands[i])) return false;
  }
  return true;
}

bool is_lowered_cvt(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  if (is_narrowing(step)) return true;
  if (v.mode.sat || v.mode.relu || to.count != 1 || from.count != 1 || step.operands.size() != 2)
    return false;
  if (!to.is_float && !from.is_float) return true;
  const bool nearest =
      v.get(Slot::kRounding) == Modifier::kRn || v.get(Slot::kRounding) == Modifier::kNone;
  if (to.is_float && !from.is_float) return is_plain_float(to) && nearest && from.bits >= 32;
  if (!to.is_float) return is_plain_float(from) && to.bits == 32 && from.bits == 32;
  return is_plain_float(to) && is_plain_float(from) && nearest && to.bits != from.bits;
}

bool is_register_or_list(const reference::Step& step, const Value& value) {
  if (value.kind == Value::Kind::kList) return true;  // of registers, sinks and constants
  return step.spelling().vector == 1 && (is_plain(value) || value.kind == Value::Kind::kSink);
}

bool is_lowered_access(const Step& step, size_t address, size_t data) {
  const bool vector_register =
      step.operands[data].kind != Value::Kind::kList && step.spelling().vector != 1;
  return is_addressed(step.operands[address]) && !vector_register &&
         step.variant->type[0].bits <= 64 && step.variant->type[0].bits >= 8 &&
         step.spelling().vector <= 4 && is_register_or_list(step, step.operands[data]);
}

bool is_lowered_mov(const Step& step) {
  if (step.operands[1].kind == Value::Kind::kFrame) return false;
  return step.variant->type[0].bits <= 64;
}

// Operands of 32-bit registers, at most four each.
bool is_lowered_product(const Step& step) {
  if (step.spelling().tier() != ptx::Tier::kAmpere || step.operands.size() != 4) return false;
  for (const Value& operand : step.operands) {
    const bool list = operand.kind == Value::Kind::kList && operand.count <= kMostMatrixRegisters;
    const bool one = operand.kind == Value::Kind::kRegister && operand.count == 1;
    if (!list && !one) return false;
  }
  for (int i = 0; i < step.spelling().type_count; ++i) {
    if (step.spelling().type(i) == ptx::Type::kF64) return false;
  }
  return true;
}

// m8n8 .b16 by shared or generic addresses, 32-bit registers.
bool is_lowered_move(const Step& step) {
  const bool loads = step.spelling().op() == Op::kLdmatrix;
  const size_t address = loads ? 1 : 0;
  if (step.spelling().tier() != ptx::Tier::kAmpere || step.operands.size() != 2) return false;
  const Value &at = step.operands[address], &data = step.operands[1 - address];
  const auto registers = static_cast<uint32_t>(matrices_of(step));
  const bool held =
      data.kind == Value::Kind::kList ? data.count == registers : registers == 1 && data.count == 1;
  return held && is_addressed(at);
}

}  // namespace

bool all_plain(const Step& step) {
  for (const Value& value : step.operands) {
    if (!is_plain(value)) return false;
  }
  return step.operands[0].kind == Value::Kind::kRegister;
}

bool is_lowered(const Step& step) {
  switch (step.spelling().op()) {
    case Op::kBra:
    case Op::kRet:
    case Op::kExit:
    case Op::kMembar:
    case Op::kFence:
    case Op::kActivemask:
      return true;
    case Op::kLd:
      return is_lowered_access(step, 1, 0);
    case Op::kSt:
      return is_lowered_access(step, 0, 1);
    case Op::kSetp:
      return is_lowered_setp(step);
    case Op::kBarSync:
      return is_block_barrier(step);
    case Op::kShfl:
    case Op::kVote:
    case Op::kRedux:
    case Op::kBarWarpSync:
      return is_lowered_exchange(step);
    case Op::kCpAsync:
      return is_lowered_copy(step);
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncWaitAll:
      return is_lowered_copy_group(step);
    case Op::kMma:
      return is_lowered_product(step);
    case Op::kLdmatrix:
    case Op::kStmatrix:
      return is_lowered_move(step);
    case Op::kMov:
      return (all_plain(step) && is_lowered_mov(step)) || is_lowered_pack(step);
    case Op::kCvt:
      return all_plain(step) && (is_lowered_cvt(step) || is_lowered_to_float(step));
    case Op::kCvta:
      return all_plain(step) && step.variant->type[0].bits == 64;
    default:
      return step.operands.size() > 1 && all_plain(step) &&
             (is_lowered_arithmetic(step) || is_lowered_logic(step) || is_lowered_bits(step) ||
              is_lowered_division(step) || is_lowered_directed(step) || is_lowered_math(step));
  }
}

bool is_barrier(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kBarSync || op == Op::kBarArrive || op == Op::kBarRed;
}

bool is_block_barrier(const Step& step) {
  return step.spelling().op() == Op::kBarSync && step.operands.size() == 1 &&
         step.operands[0].kind == Value::Kind::kImmediate &&
         step.operands[0].value < reference::kBarriers && step.guard == UINT32_MAX;
}

MatrixCounts matrix_registers(const Step& step) {
  const auto count = [&](size_t i) {
    const Value& operand = step.operands[i];
    return operand.kind == Value::Kind::kList ? static_cast<int>(operand.count) : 1;
  };
  return {.a = count(1), .b = count(2), .c = count(3), .d = count(0)};
}

bool is_narrowing(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  const bool formats = to.is_float && (to.format == numeric::kF16 || to.format == numeric::kBf16) &&
                       from.is_float && from.count == 1 && from.format == numeric::kF32;
  return step.spelling().op() == Op::kCvt && formats && to.count <= 2 &&
         step.operands.size() == 1 + static_cast<size_t>(to.count) &&
         v.get(Slot::kRounding) == Modifier::kRn && !v.mode.sat && !v.mode.relu && !v.mode.ftz &&
         !v.has(Modifier::kSatfinite);
}

bool is_lazy_f32(const Step& step) {
  if (!is_lowered(step) || step.variant->type[0].bits != 32 || !step.variant->type[0].is_float)
    return false;
  const Op op = step.spelling().op();
  return op == Op::kAdd || op == Op::kSub || op == Op::kMul || op == Op::kFma || op == Op::kMad;
}

}  // namespace warpledger::exec::jit
