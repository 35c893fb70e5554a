#include "warpledger/exec/decode/operands.h"

namespace warpledger::exec::reference {
namespace {

uint32_t words_of(const Value& value) {
  const uint32_t words = std::max(1u, (uint32_t{value.bits} + 63) / 64);
  return words * std::max(1u, value.count);
}

// D of wgmma is what the product is added to.
bool is_accumulated(const Step& step, size_t operand) {
  return operand == 0 && step.spelling().op() == ptx::Op::kWgmmaMma;
}

bool is_written(const Step& step, size_t operand) {
  const auto& shapes = step.spelling().form->operands;
  return operand < shapes.size() && shapes[operand].written &&
         step.operands[operand].kind != Value::Kind::kIndirect;
}

}  // namespace

void for_each_slot(const Code& code, const Value& value, const VisitSlot& f) {
  switch (value.kind) {
    case Value::Kind::kList:
      for (uint32_t i = 0; i < value.count; ++i)
        for_each_slot(code, code.values[value.slot + i], f);
      break;
    case Value::Kind::kRegister:
      for (uint32_t i = 0; i < words_of(value); ++i) f(value.slot + i);
      break;
    case Value::Kind::kIndirect:
      f(value.slot);
      break;
    default:
      break;
  }
}

void for_each_read(const Code& code, const Step& step, const VisitSlot& f) {
  if (step.guard != UINT32_MAX) f(step.guard);
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const bool reads = step.dropped ? (step.still_reads >> i & 1) != 0
                                    : !is_written(step, i) || is_accumulated(step, i);
    if (reads) for_each_slot(code, step.operands[i], f);
  }
}

void for_each_written(const Code& code, const Step& step, const VisitSlot& f) {
  for (size_t i = 0; i < step.operands.size() && !step.dropped; ++i) {
    if (is_written(step, i)) for_each_slot(code, step.operands[i], f);
  }
}

void for_each_named(const Code& code, const Step& step, const VisitSlot& read,
                    const VisitSlot& written) {
  if (step.guard != UINT32_MAX) read(step.guard);
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const bool writes = is_written(step, i);
    if (!writes || is_accumulated(step, i)) for_each_slot(code, step.operands[i], read);
    if (writes) for_each_slot(code, step.operands[i], written);
  }
}

}  // namespace warpledger::exec::reference
