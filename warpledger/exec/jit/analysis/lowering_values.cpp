// is_lowered() of emit_bits.cpp, emit_round.cpp, emit_math.cpp, emit_exchange.cpp, emit_copy.cpp.
#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using numeric::Rounding;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using reference::Step;
using reference::Value;

bool is_f32(const TypeInfo& type) {
  return type.is_float && type.count == 1 && type.format == numeric::kF32;
}

bool is_part(const Value& value, uint16_t bits) {
  if (value.kind == Value::Kind::kSink || value.kind == Value::Kind::kImmediate) return true;
  return value.kind == Value::Kind::kRegister && value.count <= 1 && value.bits == bits;
}

}  // namespace

bool is_lowered_bits(const Step& step) {
  const int bits = step.variant->type[0].bits;
  switch (step.spelling().op()) {
    case Op::kBfe:
    case Op::kBfi:
      return bits == 32 || bits == 64;
    case Op::kPrmt:
      return step.operands.size() == 4 && step.operands[3].kind == Value::Kind::kImmediate &&
             step.variant->get(Slot::kOperation) == Modifier::kNone;
    case Op::kShf:
      return true;
    default:
      return false;
  }
}

bool is_lowered_division(const Step& step) {
  const Op op = step.spelling().op();
  const TypeInfo& type = step.variant->type[0];
  return (op == Op::kDiv || op == Op::kRem) && !type.is_float && type.bits == 32;
}

// mov.b32 d, {a, b} and back.
bool is_lowered_pack(const Step& step) {
  if (step.spelling().op() != Op::kMov || step.operands.size() != 2) return false;
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

bool is_lowered_directed(const Step& step) {
  const Variant& v = *step.variant;
  const Op op = step.spelling().op();
  if (op != Op::kAdd && op != Op::kSub && op != Op::kMul && op != Op::kFma) return false;
  return is_f32(v.type[0]) && v.type[1].bits == 0 &&
         (v.mode.rounding == Rounding::kDown || v.mode.rounding == Rounding::kUp ||
          v.mode.rounding == Rounding::kZero) &&
         !v.mode.sat && !v.mode.relu && !v.has(Modifier::kOob);
}

bool is_lowered_to_float(const Step& step) {
  const Variant& v = *step.variant;
  const TypeInfo &to = v.type[0], &from = v.type[1];
  if (step.spelling().op() != Op::kCvt || step.operands.size() != 2 || v.mode.relu) return false;
  if (!is_f32(to) || step.spelling().type() == ptx::Type::kTf32 || v.has(Modifier::kSatfinite))
    return false;
  const Modifier rounding = v.get(Slot::kRounding);
  const bool to_integer = rounding == Modifier::kRni || rounding == Modifier::kRzi ||
                          rounding == Modifier::kRmi || rounding == Modifier::kRpi;
  if (is_f32(from)) return rounding == Modifier::kNone || to_integer;
  return from.is_float && from.count == 1 && rounding == Modifier::kNone && !v.mode.ftz &&
         (from.format == numeric::kF16 || from.format == numeric::kBf16);
}

bool is_lowered_math(const Step& step) {
  const Variant& v = *step.variant;
  if (!is_f32(v.type[0]) || v.type[1].bits != 0 || step.operands.size() != 2) return false;
  switch (step.spelling().op()) {
    case Op::kEx2:
    case Op::kLg2:
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
    case Op::kRsqrt:
      return true;
    default:
      return false;
  }
}

bool is_lowered_exchange(const Step& step) {
  const auto plain = [](const Value& value) {
    return value.kind == Value::Kind::kImmediate ||
           (value.kind == Value::Kind::kRegister && value.count <= 1);
  };
  if (step.operands.empty() || step.spelling().tier() == ptx::Tier::kParsed) return false;
  const Value& to = step.operands[0];
  const bool sources = std::all_of(step.operands.begin() + 1, step.operands.end(), plain);
  const bool one = to.kind == Value::Kind::kRegister && sources;
  switch (step.spelling().op()) {
    case Op::kShfl:
      return one || (to.kind == Value::Kind::kList && to.count == 2 && sources);
    case Op::kVote:
      return one;
    case Op::kRedux:
      return one && !step.variant->type[0].is_float && step.variant->type[0].bits == 32;
    case Op::kBarWarpSync:
      return plain(to);
    default:
      return false;
  }
}

// [shared], [global], a size, perhaps how much of the source is read.
bool is_lowered_copy(const Step& step) {
  if (step.spelling().op() != Op::kCpAsync || step.operands.size() < 3 || step.operands.size() > 4)
    return false;
  const uint64_t size = step.operands[2].value;
  const Value& policy = step.operands.back();
  const bool hinted = step.variant->has(Modifier::kL2CacheHint);
  const bool given = step.operands.size() < 4 || policy.kind == Value::Kind::kImmediate ||
                     (policy.kind == Value::Kind::kRegister && policy.count <= 1);
  return step.operands[2].kind == Value::Kind::kImmediate && !hinted && given &&
         (size == 4 || size == 8 || size == 16) && is_addressed(step.operands[0]) &&
         is_addressed(step.operands[1]);
}

bool is_lowered_copy_group(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kCpAsyncCommitGroup || op == Op::kCpAsyncWaitAll ||
         (op == Op::kCpAsyncWaitGroup && step.operands[0].kind == Value::Kind::kImmediate);
}

bool falls_back(const Step& step) {
  return step.spelling().op() == Op::kRedux || is_lowered_copy(step);
}

}  // namespace warpledger::exec::jit
