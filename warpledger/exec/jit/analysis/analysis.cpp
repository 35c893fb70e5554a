#include "warpledger/exec/jit/analysis/analysis.h"

#include <fmt/core.h>

#include "warpledger/exec/jit/analysis/access_groups.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using reference::Code;
using reference::Step;
using reference::Value;

class Analyser {
 public:
  explicit Analyser(Analysis& analysis) : a_(analysis), code_(*analysis.code) {}

  void run() {
    find_bits();
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

  void find_bits() {
    a_.bits.assign(code_.slots, 64);
    for (const ptx::RegisterRange& range : code_.function->registers) {
      const auto bits = static_cast<uint16_t>(ptx::bits(range.type));
      if (bits > 64) continue;  // words of 64 bits
      for (uint32_t i = 0; i < range.count; ++i) {
        const uint32_t slot = code_.slot_of[range.first + i];
        for (uint32_t part = 0; part < range.width; ++part) a_.bits[slot + part] = bits;
      }
    }
  }

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
      const Step& last = code_.steps[blocks()[b].end - 1];
      const bool parting = a_.flow.reached[b] && blocks()[b].successors.size() > 1 &&
                           last.guard != UINT32_MAX && a_.holding[last.guard] != Holding::kUniform;
      if (!parting) continue;
      a_.parts[b] = true;
      changed |= merge_at(b);
    }
    return changed;
  }

  // Who waits, and what is written meanwhile (flow.h): lanes at the meeting point while both sides
  // run, lanes of the second side while the first runs.
  bool merge_at(uint32_t b) {
    const uint32_t meeting = a_.flow.meets[b];
    bool changed = false;
    if (meeting != a_.flow.cfg.exit()) changed = merge(meeting, a_.flow.region(b));
    const auto [first, second] = sides(a_.flow, b);
    if (first == meeting || second == meeting) return changed;
    return merge(second, a_.flow.region_from(first, meeting)) || changed;
  }

  bool merge(uint32_t waiting, const std::vector<bool>& running) {
    bool changed = false;
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      if (!running[b]) continue;
      for (uint32_t pc = blocks()[b].first; pc < blocks()[b].end; ++pc) {
        for_each_written(code_, code_.steps[pc], [&](uint32_t slot) {
          if (a_.merges[slot] || !live_[waiting][slot]) return;
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
    a_.may_be_partial.assign(exit, false);
    for (uint32_t b = 0; b < exit; ++b) {
      if (!a_.parts[b] || kills(a_, b)) continue;
      const uint32_t p = a_.flow.meets[b];
      const std::vector<bool> region = a_.flow.region(b);
      for (uint32_t inside = 0; inside < exit; ++inside) {
        if (region[inside]) a_.may_be_partial[inside] = true;
      }
      if (p != exit) a_.mask_from[p] = find_mask_source(p);
      const auto [first, second] = sides(a_.flow, b);
      const bool one_sided = first == p || second == p;
      if (!one_sided || p == exit || a_.mask_from[p] == kNowhere || has_end(region)) {
        a_.meets_by_stack[p] = true;
      }
    }
    for (uint32_t p = 0; p <= exit; ++p) {
      if (a_.meets_by_stack[p]) a_.mask_from[p] = kNowhere;
    }
  }

  [[nodiscard]] bool has_end(const std::vector<bool>& region) const {
    for (uint32_t b = 0; b < region.size(); ++b) {
      if (region[b] && (blocks()[b].leaves || kills(a_, b))) return true;
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

Status refuse_what_only_the_interpreter_runs(const Code& code, const ptx::Module& module) {
  for (const Step& step : code.steps) {
    const Op op = step.spelling().op();
    const char* what = nullptr;
    if (op == Op::kCall) what = "a call of a device function";
    if (op == Op::kBrxIdx) what = "an indexed branch";
    const bool ends = &step == &code.steps.back();
    if (op == Op::kBra && step.guard != UINT32_MAX && ends)
      what = "a branch as a kernel's last instruction";
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

std::pair<uint32_t, uint32_t> sides(const Flow& flow, uint32_t block) {
  const auto& successors = flow.cfg.blocks[block].successors;
  const uint32_t a = successors[0], b = successors[1];
  return {std::min(a, b), std::max(a, b)};
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

Result<Analysis> analyse(const reference::Program& program, const ptx::Module& module,
                         const Extent& block) {
  Analysis analysis;
  analysis.program = &program;
  analysis.code = program.codes[0].get();
  analysis.block = block;
  WL_TRY_STATUS(refuse_what_only_the_interpreter_runs(*analysis.code, module));
  analysis.flow = find_flow(module, *analysis.code->function);
  Analyser(analysis).run();
  WL_TRY_STATUS(refuse_locks_within_a_warp(analysis, module));
  return analysis;
}

}  // namespace warpledger::exec::jit
