#include "warpledger/exec/jit/analysis/analysis.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/jit/analysis/access_groups.h"
#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/jit/analysis/in_flight.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using reference::Code;
using reference::Step;
using reference::Value;

class Analyzer {
 public:
  explicit Analyzer(Analysis& analysis) : a_(analysis), code_(*analysis.code) {}

  void run() {
    a_.bits = code_.slot_bits;
    live_ = find_live_slots(code_, a_.flow);
    const size_t slots = code_.slots;
    a_.holding.assign(slots, Holding::kUniform);
    a_.merges.assign(slots, false);
    a_.parts.assign(blocks().size(), false);
    for (bool changed = true; changed;) {
      changed = raise_holdings();
      changed |= part_and_merge();
    }
    a_.lazy_nan = find_lazy_nans(code_, a_.bits);
    plan_masks();
    group_accesses(a_);
  }

 private:
  [[nodiscard]] const std::vector<ptx::Block>& blocks() const { return a_.flow.cfg.blocks; }

  bool raise_holdings() {
    bool changed = false;
    for (const Step& step : code_.steps) {
      for_each_written(code_, step, [&](uint32_t slot) {
        Holding wanted = result_holding(a_, step);
        if (step.guard != UINT32_MAX && a_.holding[step.guard] != Holding::kUniform)
          wanted = Holding::kVector;
        if (a_.merges[slot]) wanted = Holding::kVector;
        if (wanted <= a_.holding[slot] ||
            (a_.merges[slot] && a_.holding[slot] != Holding::kUniform))
          return;
        a_.holding[slot] = wanted;
        changed = true;
      });
    }
    return changed;
  }

  bool part_and_merge() {
    bool changed = false;
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      const bool parting =
          a_.flow.reached[b] && blocks()[b].successors.size() > 1 && decides_by_lane(b);
      if (!parting) continue;
      a_.parts[b] = true;
      if (!code_.by_address) changed |= merge_at(b);
    }
    return code_.by_address ? merge_apart() : changed;
  }

  // Lanes that go on by address may wait at any block that others run (by_address.h).
  bool merge_apart() {
    a_.may_be_partial = find_blocks_apart(a_);
    const std::vector<bool> waiting = find_waiting_blocks(a_, a_.may_be_partial);
    bool changed = false;
    for (uint32_t b = 0; b < blocks().size(); ++b)
      if (waiting[b]) changed |= merge(b, a_.may_be_partial);
    return changed;
  }

  [[nodiscard]] bool decides_by_lane(uint32_t b) const {
    const Step& last = code_.steps[blocks()[b].end - 1];
    if (last.spelling().op() == Op::kBrxIdx)
      return a_.holding_of(last.operands[0]) != Holding::kUniform;
    return last.guard != UINT32_MAX && a_.holding[last.guard] != Holding::kUniform;
  }

  // Who waits, and what is written meanwhile (flow.h): lanes at the meeting point while both sides
  // run, lanes of the second side while the first runs.
  bool merge_at(uint32_t b) {
    const uint32_t meeting = a_.flow.meets[b], instance = a_.flow.instance_of[b];
    bool changed = false;
    if (meeting != a_.flow.cfg.exit()) changed = merge(meeting, a_.flow.region(b));
    // Lanes that return early wait behind the call for all of the function.
    if (instance != 0)
      changed |= merge(a_.flow.instances[instance].return_block, a_.flow.blocks_of(instance));
    const std::vector<uint32_t> sides = sides_of(a_.flow, b);
    for (size_t i = 0; i + 1 < sides.size(); ++i) {
      if (sides[i] == meeting) continue;
      const std::vector<bool> running = a_.flow.region_from(b, sides[i]);
      for (size_t j = i + 1; j < sides.size(); ++j)
        if (sides[j] != meeting) changed |= merge(sides[j], running);
    }
    return changed;
  }

  bool merge(uint32_t waiting, const std::vector<bool>& running) {
    bool changed = false;
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      if (!running[b]) continue;
      for (uint32_t pc = blocks()[b].first; pc < blocks()[b].end; ++pc) {
        for_each_written(code_, code_.steps[pc], [&](uint32_t slot) {
          if (a_.merges[slot] || !live_[waiting][slot]) return;
          if (!code_.of_warp.empty() && code_.of_warp[slot]) return;
          a_.merges[slot] = true;
          a_.holding[slot] = Holding::kVector;
          changed = true;
        });
      }
    }
    return changed;
  }

  void plan_masks() {
    const uint32_t exit = a_.flow.cfg.exit();
    a_.meets_by_stack.assign(exit + 1, false);
    a_.mask_from.assign(exit + 1, kNowhere);
    if (code_.by_address) return;
    a_.may_be_partial.assign(exit, false);
    for (uint32_t b = 0; b < exit; ++b) {
      if (!a_.parts[b] || (kills(a_, b) && a_.flow.instance_of[b] == 0)) continue;
      const uint32_t p = a_.flow.meets[b];
      const std::vector<bool> region = lanes_apart(a_, b);
      for (uint32_t inside = 0; inside < exit; ++inside) {
        if (region[inside]) a_.may_be_partial[inside] = true;
      }
      if (kills(a_, b)) continue;
      const bool ends = a_.flow.meets_at_end(b);
      if (!ends) a_.mask_from[p] = find_mask_source(p);
      const std::vector<uint32_t> sides = sides_of(a_.flow, b);
      const bool one_sided = !is_table(a_, b) && (sides[0] == p || sides[1] == p);
      if (!one_sided || ends || a_.mask_from[p] == kNowhere ||
          has_end(region, a_.flow.instance_of[b])) {
        a_.meets_by_stack[p] = true;
      }
    }
    for (uint32_t p = 0; p <= exit; ++p) {
      if (a_.meets_by_stack[p]) a_.mask_from[p] = kNowhere;
    }
  }

  // Whether lanes may end, or return from the instance, in the region. Who returns from a function
  // that is called there comes back.
  [[nodiscard]] bool has_end(const std::vector<bool>& region, uint32_t instance) const {
    for (uint32_t b = 0; b < region.size(); ++b) {
      if (!region[b]) continue;
      if (blocks()[b].leaves) return true;
      if (a_.flow.instance_of[b] == instance && (returns(a_, b) || kills(a_, b))) return true;
    }
    return false;
  }

  [[nodiscard]] uint32_t find_mask_source(uint32_t p) const {
    uint32_t d = a_.flow.dominator[p];
    for (bool moved = true; moved && d != kNowhere;) {
      moved = false;
      for (const Loop& loop : a_.flow.loops) {
        if (!loop.holds[d] || loop.holds[p]) continue;
        d = a_.flow.dominator[loop.header];
        moved = true;
        break;
      }
    }
    uint32_t at = d;
    for (size_t i = 0; at != p && at < blocks().size() && i < blocks().size(); ++i)
      at = a_.flow.meets[at];
    return at == p ? d : kNowhere;
  }

  Analysis& a_;
  const Code& code_;
  std::vector<std::vector<bool>> live_;
};

bool leads_to_end(const Code& code, const Step& branch) {
  const Value& list = branch.operands[1];
  const auto targets = std::span<const Value>(code.values).subspan(list.slot, list.count);
  return std::ranges::any_of(
      targets, [&](const Value& target) { return target.value >= code.steps.size(); });
}

/// Which warp allocates first decides addresses, and compiled warps take other turns.
bool allocates(const Step& step, const ptx::Module& module) {
  const Value& callee = step.operands[1];
  if (callee.kind != Value::Kind::kImmediate) return false;
  const std::string_view name = module.functions[callee.slot].name;
  return name == "malloc" || name == "free";
}

Status refuse_what_only_the_interpreter_runs(const Code& code, const ptx::Module& module) {
  for (const Step& step : code.steps) {
    const Op op = step.spelling().op();
    const char* what = nullptr;
    if (op == Op::kBrxIdx && !is_lowered(step)) what = "an indexed branch with a guard";
    if (op == Op::kBrxIdx && leads_to_end(code, step)) what = "a table that leads to the end";
    if (op == Op::kCall && allocates(step, module)) what = "device malloc and free";
    const bool ends = &step == &code.steps.back();
    if (op == Op::kBra && step.guard != UINT32_MAX && ends)
      what = "a branch as a kernel's last instruction";
    if (carries(step.spelling()) && !is_lowered(step)) what = "this form of a carry";
    if (step.run == nullptr) what = "an instruction that is not supported yet";
    if (what == nullptr) continue;
    return Diagnostic{.message = fmt::format("the JIT does not compile {}", what),
                      .code = "jit-unsupported",
                      .at = module.source->locate(step.instruction->span),
                      .fallback = Fallback::kInterpreter};
  }
  return {};
}

// A lane that holds a lock waits at the loop's end for those who want it: only fragments get out of
// that.
Status refuse_locks_within_a_warp(const Analysis& analysis, const ptx::Module& module) {
  for (const Loop& loop : analysis.flow.loops) {
    bool parts = false;
    const Step* lock = nullptr;
    for (uint32_t b = 0; b < loop.holds.size(); ++b) {
      if (!loop.holds[b]) continue;
      parts = parts || analysis.parts[b];
      for (uint32_t pc = analysis.flow.cfg.blocks[b].first; pc < analysis.flow.cfg.blocks[b].end;
           ++pc) {
        const Step& step = analysis.code->steps[pc];
        const bool swaps =
            step.variant->has(ptx::Modifier::kCas) || step.variant->has(ptx::Modifier::kExch);
        if (step.spelling().op() == Op::kAtom && swaps) lock = &step;
      }
    }
    if (!parts || lock == nullptr) continue;
    return Diagnostic{
        .message = "the JIT does not compile loops in which lanes may wait for each other",
        .code = "jit-unsupported",
        .at = module.source->locate(lock->instruction->span),
        .fallback = Fallback::kInterpreter};
  }
  return {};
}

}  // namespace

std::vector<uint32_t> sides_of(const Flow& flow, uint32_t block) {
  std::vector<uint32_t> sides = flow.cfg.blocks[block].successors;
  std::ranges::sort(sides);
  return sides;
}

bool is_table(const Analysis& analysis, uint32_t block) {
  const ptx::Block& here = analysis.flow.cfg.blocks[block];
  return analysis.code->steps[here.end - 1].spelling().op() == Op::kBrxIdx;
}

std::vector<uint32_t> waiting_sides(const Analysis& analysis, uint32_t block) {
  std::vector<uint32_t> sides = sides_of(analysis.flow, block);
  if (!is_table(analysis, block)) sides.erase(sides.begin());
  return sides;
}

std::vector<bool> lanes_apart(const Analysis& analysis, uint32_t block) {
  if (!kills(analysis, block)) return analysis.flow.region(block);
  // Lanes that have returned early live on, behind the call.
  std::vector<bool> region(analysis.flow.cfg.blocks.size());
  for (const uint32_t side : analysis.flow.cfg.blocks[block].successors) {
    if (analysis.flow.instance_of[side] != analysis.flow.instance_of[block]) continue;
    std::vector<uint32_t> work = {side};
    while (!work.empty()) {
      const uint32_t here = work.back();
      work.pop_back();
      const bool inside = analysis.flow.is_within(analysis.flow.instance_of[here],
                                                  analysis.flow.instance_of[block]);
      if (!inside || region[here]) continue;
      region[here] = true;
      const auto& next = analysis.flow.cfg.blocks[here].successors;
      work.insert(work.end(), next.begin(), next.end());
    }
  }
  return region;
}

uint32_t instructions_of(const Analysis& analysis, uint32_t block) {
  const ptx::Block& here = analysis.flow.cfg.blocks[block];
  uint32_t count = 0;
  for (uint32_t pc = here.first; pc < here.end; ++pc)
    count += analysis.code->steps[pc].extra ? 0 : 1;
  return count;
}

uint32_t instructions_to_call(const Analysis& analysis, uint32_t block) {
  const ptx::Block& here = analysis.flow.cfg.blocks[block];
  uint32_t count = 0;
  for (uint32_t pc = here.first; pc < here.end; ++pc) {
    const Step& step = analysis.code->steps[pc];
    if (step.extra) continue;
    ++count;
    const bool was_call = analysis.program->spelling_of(step).op() == Op::kCall;
    if (was_call && step.spelling().op() != Op::kCall) break;
  }
  return count;
}

bool returns(const Analysis& analysis, uint32_t block) {
  const ptx::Block& here = analysis.flow.cfg.blocks[block];
  return analysis.flow.instance_of[block] != 0 &&
         analysis.code->steps[here.end - 1].spelling().op() == Op::kRet;
}

bool kills(const Analysis& analysis, uint32_t block) {
  const ptx::Block& here = analysis.flow.cfg.blocks[block];
  const Step& last = analysis.code->steps[here.end - 1];
  const Op op = last.spelling().op();
  if (last.guard == UINT32_MAX) return false;
  if (op == Op::kRet || op == Op::kExit) return true;
  if (op != Op::kBra || here.successors.size() != 2) return false;
  const auto& blocks = analysis.flow.cfg.blocks;
  return is_bare_exit(*analysis.code, blocks[here.successors[0]]) &&
         !is_bare_exit(*analysis.code, blocks[here.successors[1]]);
}

bool has_one_barrier(const Code& code) {
  std::optional<uint64_t> id;
  for (const Step& step : code.steps) {
    const Op op = step.spelling().op();
    const bool waits = step.spelling().opcode().family == ptx::Family::kBarrier &&
                       step.spelling().opcode().memory != ptx::MemoryKind::kFence &&
                       op != Op::kBarWarpSync;
    if (!waits) continue;
    if (!is_block_barrier(step)) return false;
    if (id.value_or(step.operands[0].value) != step.operands[0].value) return false;
    id = step.operands[0].value;
  }
  return true;
}

Holding Analysis::holding_of(const Value& value) const {
  switch (value.kind) {
    case Value::Kind::kRegister:
    case Value::Kind::kIndirect:
      return holding[value.slot];
    case Value::Kind::kSpecial:
      return special_holding(block, value);
    default:
      return Holding::kUniform;
  }
}

Result<Analysis> analyze(const reference::Program& program, const ptx::Module& module,
                         const Extent& block) {
  Analysis analysis;
  analysis.program = &program;
  analysis.code = program.codes[0].get();
  analysis.block = block;
  WL_TRY_STATUS(refuse_what_only_the_interpreter_runs(*analysis.code, module));
  analysis.flow = find_flow(module, *analysis.code);
  Analyzer(analysis).run();
  analysis.notes_writes = std::ranges::any_of(analysis.code->steps, reads_shared_later);
  analysis.may_touch_results = find_touching_steps(*analysis.code, analysis.flow);
  WL_TRY_STATUS(refuse_locks_within_a_warp(analysis, module));
  return analysis;
}

}  // namespace warpledger::exec::jit
