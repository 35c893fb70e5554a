// Finds rows of lowerings.def, and answers queries about lowered steps.
#include "warpledger/exec/jit/analysis/lowering.h"

#include <algorithm>
#include <array>

#include "warpledger/exec/interpreter/state.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using ptx::SpecialRegister;
using reference::Step;
using reference::Value;

struct Row {
  Op op;
  bool (*can_lower)(const Step& step);
};

constexpr Row kRows[] = {
#define LOWERING(op, can_lower, emit) {Op::k##op, can_lower},
#include "warpledger/exec/jit/analysis/lowerings.def"
#undef LOWERING
};

/// The rows of an opcode: [first, end).
struct Rows {
  uint16_t first = 0, end = 0;
};

constexpr size_t kOpcodes =
    1 + static_cast<size_t>(std::ranges::max_element(kRows, {}, &Row::op)->op);

constexpr std::array<Rows, kOpcodes> kRowsOf = [] {
  std::array<Rows, kOpcodes> rows = {};
  for (uint16_t i = 0; i < std::size(kRows); ++i) {
    Rows& here = rows[static_cast<size_t>(kRows[i].op)];
    if (here.end == 0) here.first = i;
    here.end = static_cast<uint16_t>(i + 1);
  }
  return rows;
}();

constexpr bool rows_stand_together() {
  size_t rows = 0;
  for (const Rows& some : kRowsOf) rows += some.end - some.first;
  return rows == std::size(kRows);
}
static_assert(rows_stand_together(), "lowerings.def: the rows of an opcode stand together");

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

}  // namespace

uint32_t find_lowering(const Step& step) {
  const auto op = static_cast<size_t>(step.spelling().op());
  if (op >= kOpcodes) return kNoLowering;
  for (uint32_t row = kRowsOf[op].first; row < kRowsOf[op].end; ++row) {
    if (kRows[row].can_lower(step)) return row;
  }
  return kNoLowering;
}

bool is_lowered(const Step& step) { return find_lowering(step) != kNoLowering; }

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

bool all_plain(const Step& step) {
  return !step.operands.empty() && std::ranges::all_of(step.operands, is_plain) &&
         step.operands[0].kind == Value::Kind::kRegister;
}

bool is_plain_float(const TypeInfo& type) {
  return type.is_float && type.count == 1 &&
         (type.format == numeric::kF32 || type.format == numeric::kF64);
}

bool is_f32(const TypeInfo& type) {
  return type.is_float && type.count == 1 && type.format == numeric::kF32;
}

bool can_always(const Step&) { return true; }

bool is_plain_index(const Step& step) {
  return step.guard == UINT32_MAX && is_plain(step.operands[0]);
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

bool falls_back(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kRedux || op == Op::kBrxIdx || is_lowered_copy(step);
}

MatrixCounts matrix_registers(const Step& step) {
  const auto count = [&](size_t i) {
    const Value& operand = step.operands[i];
    return operand.kind == Value::Kind::kList ? static_cast<int>(operand.count) : 1;
  };
  return {.a = count(1), .b = count(2), .c = count(3), .d = count(0)};
}

bool is_lazy_f32(const Step& step) {
  if (!is_lowered(step) || !is_f32(step.variant->type[0])) return false;
  const Op op = step.spelling().op();
  return op == Op::kAdd || op == Op::kSub || op == Op::kMul || op == Op::kFma || op == Op::kMad;
}

}  // namespace warpledger::exec::jit
