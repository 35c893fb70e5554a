#include "warpledger/exec/interpreter/register_watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;

bool is_copy(const Step& step) {
  return step.spelling().op() == Op::kMov && step.operands.size() == 2 &&
         step.operands[0].kind == Value::Kind::kRegister &&
         step.operands[1].kind == Value::Kind::kRegister;
}

// The copy is in flight with what it copies.
void hand_on(Warp& warp, uint32_t from, uint32_t to) {
  MatrixGroups& matrix = warp.matrix;
  const MatrixGroups::Mark mark = matrix.marks[from];
  matrix.marks[to] = mark;
  const auto add = [&](MatrixWork& work) {
    if (work.step == mark.step) work.copies.push_back(to);
  };
  for (auto& group : matrix.groups) std::for_each(group.begin(), group.end(), add);
  std::for_each(matrix.open.begin(), matrix.open.end(), add);
}

}  // namespace

// Inside functions that are called, registers are not watched.
void watch(const Context& context, const MatrixWork& work) {
  if (context.activation != 0 || !context.warp.matrix.is_watched) return;
  const Code& code = *context.frame().code;
  std::vector<MatrixGroups::Mark>& marks = context.warp.matrix.marks;
  if (marks.empty()) marks.resize(code.slots);
  for (const uint32_t slot : work.form->operands) {
    if (!marks[slot].is_result) marks[slot] = {work.step, false};
  }
  for (const uint32_t slot : work.form->results) marks[slot] = {work.step, true};
  for (const uint32_t slot : work.copies) marks[slot] = {work.step, true};
}

void watch_again(const Context& context) {
  MatrixGroups& matrix = context.warp.matrix;
  if (!matrix.is_watched) return;
  matrix.marks.clear();
  const auto all = [&](const std::vector<MatrixWork>& works) {
    for (const MatrixWork& work : works) watch(context, work);
  };
  for (const auto& group : matrix.groups) all(group);
  all(matrix.open);
}

bool leaves_matrix_work_alone(const Context& context, const Step& step) {
  const Op op = step.spelling().op();
  if (context.activation != 0 || context.lanes == 0) return true;
  const auto& marks = context.warp.matrix.marks;
  const Code& code = *context.frame().code;
  const Step* early = nullptr;
  bool writes = false;
  const auto reads = [&](uint32_t slot) {
    if (slot < marks.size() && marks[slot].is_result) early = marks[slot].step;
  };
  if (op == Op::kWgmmaMma) {  // of the same accumulator they follow each other by themselves
    for_each_slot(code, step.operands[1], reads);
  } else {
    const Step* in_use = nullptr;
    for_each_named(code, step, reads, [&](uint32_t slot) {
      if (slot < marks.size() && marks[slot].step != nullptr) in_use = marks[slot].step;
    });
    if (early != nullptr && is_copy(step)) {
      hand_on(context.warp, step.operands[1].slot, step.operands[0].slot);
      return true;
    }
    writes = early == nullptr;
    if (writes) early = in_use;
  }
  if (early == nullptr) return true;
  const auto at = context.engine.image().module().source->locate(early->instruction->span);
  context.fault(
      step, __builtin_ctz(context.lanes),
      fmt::format("{} a register that '{}' of line {} still {}", writes ? "writes" : "reads",
                  early->spelling().text, at.line, writes ? "uses" : "writes"),
      "wgmma-in-flight", "a wgmma.wait_group must come first");
  return false;
}

}  // namespace warpledger::exec::reference
