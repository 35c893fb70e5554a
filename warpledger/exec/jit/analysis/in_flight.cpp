#include "warpledger/exec/jit/analysis/in_flight.h"

#include <algorithm>

#include "warpledger/exec/decode/operands.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using reference::Code;
using reference::Step;

/// By slot: 0 while nothing in flight uses it, else 1 and the groups committed since, at least.
using Ages = std::vector<uint8_t>;
constexpr uint8_t kOldest = 64;  // more groups than anybody leaves in flight

bool is_product(const Step& step) { return step.spelling().op() == Op::kWgmmaMma; }
bool always_runs(const Step& step) { return step.guard == UINT32_MAX; }

/// The youngest of two.
uint8_t meet(uint8_t a, uint8_t b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

/// Of the registers that the step touches; 0: of none in flight.
uint8_t touched_age(const Code& code, const Step& step, const Ages& ages) {
  uint8_t age = 0;
  const auto look = [&](uint32_t slot) { age = meet(age, ages[slot]); };
  if (is_product(step)) {  // of one accumulator they follow each other by themselves
    reference::for_each_slot(code, step.operands[1], look);
  } else {
    reference::for_each_named(code, step, look, look);
  }
  return age;
}

void issue(const Code& code, const Step& step, Ages& ages) {
  const auto use = [&](uint32_t slot) { ages[slot] = 1; };
  reference::for_each_slot(code, step.operands[0], use);
  if (step.operands[1].kind == reference::Value::Kind::kList)
    reference::for_each_slot(code, step.operands[1], use);
}

void execute(const Code& code, const Step& step, Ages& ages) {
  const Op op = step.spelling().op();
  if (is_product(step)) {
    issue(code, step, ages);
  } else if (op == Op::kWgmmaCommitGroup && always_runs(step)) {
    for (uint8_t& age : ages) age = age == 0 ? age : std::min<uint8_t>(age + 1, kOldest);
  } else if (op == Op::kWgmmaWaitGroup && always_runs(step)) {
    const uint64_t oldest_left = step.operands[0].value + 1;
    for (uint8_t& age : ages) age = age > oldest_left ? uint8_t{0} : age;
  } else if (op == Op::kMov) {
    const uint8_t age = touched_age(code, step, ages);
    const auto ignore = [](uint32_t) {};
    const auto copied = [&](uint32_t slot) { ages[slot] = meet(ages[slot], age); };
    reference::for_each_named(code, step, ignore, copied);
  }
}

bool meet_all(Ages& at, const Ages& from) {
  bool changed = false;
  for (size_t i = 0; i < at.size(); ++i) {
    const uint8_t both = meet(at[i], from[i]);
    changed |= both != at[i];
    at[i] = both;
  }
  return changed;
}

}  // namespace

std::vector<bool> find_touching_steps(const Code& code, const Flow& flow) {
  if (std::ranges::none_of(code.steps, is_product)) return {};
  const auto& blocks = flow.cfg.blocks;
  std::vector<Ages> ages(blocks.size(), Ages(code.slots));
  std::vector<bool> touching(code.steps.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Block& block : blocks) {
      Ages now = ages[static_cast<size_t>(&block - blocks.data())];
      for (uint32_t pc = block.first; pc < block.end; ++pc) {
        touching[pc] = touching[pc] || touched_age(code, code.steps[pc], now) != 0;
        execute(code, code.steps[pc], now);
      }
      for (const uint32_t next : block.successors) changed |= meet_all(ages[next], now);
    }
  }
  return touching;
}

}  // namespace warpledger::exec::jit
