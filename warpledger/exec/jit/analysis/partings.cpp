#include "warpledger/exec/jit/analysis/partings.h"

#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::SpecialRegister;
using reference::Step;
using reference::Value;

constexpr uint64_t kWarp = 32;

bool is_kernel_parameter(const Step& step) {
  return step.spelling().op() == Op::kLd && step.spelling().space() == ptx::Space::kParam &&
         step.operands[1].kind == Value::Kind::kFixed;
}

/// Answers the same for the same operands.
bool computes(const Step& step) {
  const Op op = step.spelling().op();
  return step.pure != nullptr || op == Op::kMov || op == Op::kCvta;
}

bool is_immediate(const Step& step, size_t operand) {
  return step.operands.size() > operand && step.operands[operand].kind == Value::Kind::kImmediate;
}

}  // namespace

Partings::Partings(const Analysis& analysis)
    : analysis_(analysis),
      writer_(analysis.code->slots, kNowhere),
      facts_(analysis.code->slots, Fact::kNothing) {
  find_writers();
  while (find_more_facts()) {
  }
  find_apart();
}

void Partings::find_writers() {
  std::vector<uint32_t> count(writer_.size());
  for (uint32_t pc = 0; pc < analysis_.code->steps.size(); ++pc) {
    for_each_written(*analysis_.code, analysis_.code->steps[pc],
                     [&](uint32_t slot) { writer_[slot] = ++count[slot] == 1 ? pc : kNowhere; });
  }
}

// Lanes that have not been at the writer have something else in the register.
Partings::Fact Partings::slot_fact(uint32_t slot, uint32_t pc) const {
  const uint32_t writer = writer_[slot];
  if (writer == kNowhere) return Fact::kNothing;
  const uint32_t from = analysis_.flow.cfg.block_of[writer], to = analysis_.flow.cfg.block_of[pc];
  const bool before = from == to ? writer < pc : analysis_.flow.dominates(from, to);
  return before ? facts_[slot] : Fact::kNothing;
}

bool Partings::has_uniform_guard(uint32_t pc) const {
  return slot_fact(analysis_.code->steps[pc].guard, pc) == Fact::kSame;
}

bool Partings::is_uniform_branch(uint32_t pc) const {
  const Step& step = analysis_.code->steps[pc];
  if (step.spelling().op() != Op::kBrxIdx) return has_uniform_guard(pc);
  return fact_of(step.operands[0], pc) == Fact::kSame;
}

Partings::Fact Partings::fact_of(const Value& value, uint32_t pc) const {
  const bool rows = tid_shape(analysis_.block) == TidShape::kWholeRows;
  switch (value.kind) {
    case Value::Kind::kImmediate:
      return Fact::kSame;
    case Value::Kind::kRegister:
      return value.count <= 1 ? slot_fact(value.slot, pc) : Fact::kNothing;
    case Value::Kind::kSpecial:
      switch (static_cast<SpecialRegister>(value.slot)) {
        case SpecialRegister::kNtid:
        case SpecialRegister::kCtaid:
        case SpecialRegister::kNctaid:
          return Fact::kSame;
        case SpecialRegister::kTid:
          if (!rows || value.component > 2) return Fact::kNothing;
          return value.component == 0 ? Fact::kCounts : Fact::kSame;
        default:
          return Fact::kNothing;
      }
    default:
      return Fact::kNothing;
  }
}

// setp: lanes of a warp lie on the same side of a multiple of 32.
bool Partings::compares_warps(uint32_t pc) const {
  const Step& step = analysis_.code->steps[pc];
  if (step.spelling().op() != Op::kSetp || step.operands.size() != 3 || !is_immediate(step, 2))
    return false;
  if (fact_of(step.operands[1], pc) != Fact::kCounts || step.variant->type[0].bits != 32)
    return false;
  const uint64_t limit = step.operands[2].value;
  const Variant& v = *step.variant;
  if (v.has(Modifier::kLt) || v.has(Modifier::kGe)) return limit % kWarp == 0;
  if (v.has(Modifier::kLe) || v.has(Modifier::kGt)) return (limit + 1) % kWarp == 0;
  return false;
}

Partings::Fact Partings::result_of(uint32_t pc) const {
  const Step& step = analysis_.code->steps[pc];
  if (is_kernel_parameter(step) || compares_warps(pc)) return Fact::kSame;
  if (!computes(step) || step.operands.size() < 2 || step.variant->has(Modifier::kCc))
    return Fact::kNothing;
  const auto same = [&](const Value& value) { return fact_of(value, pc) == Fact::kSame; };
  if (std::all_of(step.operands.begin() + 1, step.operands.end(), same)) return Fact::kSame;
  if (fact_of(step.operands[1], pc) != Fact::kCounts || step.variant->type[0].bits != 32)
    return Fact::kNothing;
  switch (step.spelling().op()) {
    case Op::kMov:
      return Fact::kCounts;
    case Op::kShr:  // the number of the warp, or of several
      return is_immediate(step, 2) && step.operands[2].value >= 5 ? Fact::kSame : Fact::kNothing;
    case Op::kAnd:
      return is_immediate(step, 2) && step.operands[2].value % kWarp == 0 ? Fact::kSame
                                                                          : Fact::kNothing;
    default:
      return Fact::kNothing;
  }
}

bool Partings::find_more_facts() {
  bool more = false;
  for (uint32_t pc = 0; pc < analysis_.code->steps.size(); ++pc) {
    const Step& step = analysis_.code->steps[pc];
    if (step.guard != UINT32_MAX || step.operands.empty()) continue;
    const Value& to = step.operands[0];
    const bool one = to.kind == Value::Kind::kRegister && to.count == 1 && writer_[to.slot] == pc;
    if (!one || facts_[to.slot] != Fact::kNothing) continue;
    facts_[to.slot] = result_of(pc);
    more |= facts_[to.slot] != Fact::kNothing;
  }
  return more;
}

// As Analyzer::plan_masks() does for what is held lane by lane.
void Partings::find_apart() {
  const auto blocks = static_cast<uint32_t>(analysis_.flow.cfg.blocks.size());
  if (analysis_.code->by_address) return static_cast<void>(apart_ = analysis_.may_be_partial);
  apart_.assign(blocks, false);
  for (uint32_t b = 0; b < blocks; ++b) {
    const uint32_t last = analysis_.flow.cfg.blocks[b].end - 1;
    const bool ends = kills(analysis_, b) && analysis_.flow.instance_of[b] == 0;
    if (!analysis_.parts[b] || ends || is_uniform_branch(last)) continue;
    const std::vector<bool> region = lanes_apart(analysis_, b);
    for (uint32_t inside = 0; inside < blocks; ++inside)
      apart_[inside] = apart_[inside] || region[inside];
  }
}

}  // namespace warpledger::exec::jit
