#include "warpledger/exec/jit/analysis/registers.h"

#include "warpledger/exec/jit/analysis/analysis.h"
#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using reference::Code;
using reference::Step;
using reference::Value;

// A value that no NaN needs tidying up in.
bool is_plain_f32(uint64_t bits) { return !numeric::is_nan(numeric::kF32, bits & 0xffffffff); }

bool keeps_lazy(const Step& step, const std::vector<bool>& lazy) {
  if (is_lazy_f32(step)) return true;
  const Op op = step.spelling().op();
  if ((op != Op::kMov && op != Op::kSelp) || !is_lowered(step)) return false;
  const size_t values = op == Op::kMov ? 1 : 2;
  for (size_t i = 1; i <= values; ++i) {
    const Value& value = step.operands[i];
    const bool fine = value.kind == Value::Kind::kRegister    ? lazy[value.slot]
                      : value.kind == Value::Kind::kImmediate ? is_plain_f32(value.value)
                                                              : false;
    if (!fine) return false;
  }
  return true;
}

// What varies from one turn of a loop to the next: values, and vector parts of pairs.
struct Varying {
  std::vector<bool> value, lanes;
};

Varying find_varying(const Analysis& a, const Loop& loop) {
  Varying varying{std::vector<bool>(a.code->slots), std::vector<bool>(a.code->slots)};
  const auto& blocks = a.flow.cfg.blocks;
  const auto visit_step = [&](const Step& step, bool& changed) {
    const Op op = step.spelling().op();
    bool value =
        !is_lowered(step) || op == Op::kLd || op == Op::kLdmatrix || carries(step.spelling());
    for_each_read(*a.code, step, [&](uint32_t slot) { value = value || varying.value[slot]; });
    // A pair adds up: its lanes change when an operand's lanes do, or when a factor does.
    bool lanes = value;
    if (result_holding(a, step) == Holding::kPair && step.guard == UINT32_MAX) {
      const bool scales = scales_lanes(step);
      lanes = false;
      for_each_read(*a.code, step, [&](uint32_t slot) {
        const bool uniform = a.holding[slot] == Holding::kUniform;
        lanes = lanes || (uniform ? scales && varying.value[slot] : varying.lanes[slot]);
      });
    }
    for_each_written(*a.code, step, [&](uint32_t slot) {
      const bool uniform = a.holding[slot] == Holding::kUniform;
      if (value && !varying.value[slot]) varying.value[slot] = changed = true;
      if (lanes && !uniform && !varying.lanes[slot]) varying.lanes[slot] = changed = true;
    });
  };
  // A register that is its own input varies from turn to turn.
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!loop.holds[b]) continue;
    for (uint32_t pc = blocks[b].first; pc < blocks[b].end; ++pc) {
      const Step& step = a.code->steps[pc];
      for_each_written(*a.code, step, [&](uint32_t slot) {
        for_each_read(*a.code, step, [&](uint32_t read) {
          if (read == slot) varying.value[slot] = true;
        });
      });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (!loop.holds[b]) continue;
      for (uint32_t pc = blocks[b].first; pc < blocks[b].end; ++pc)
        visit_step(a.code->steps[pc], changed);
    }
  }
  return varying;
}

}  // namespace

std::vector<std::vector<bool>> find_live_slots(const Code& code, const Flow& flow) {
  const size_t count = flow.cfg.blocks.size();
  std::vector<std::vector<bool>> reads(count, std::vector<bool>(code.slots)), sets = reads,
                                                                              live = reads;
  for (size_t b = 0; b < count; ++b) {
    for (uint32_t pc = flow.cfg.blocks[b].first; pc < flow.cfg.blocks[b].end; ++pc) {
      const Step& step = code.steps[pc];
      for_each_read(code, step,
                    [&](uint32_t slot) { reads[b][slot] = reads[b][slot] || !sets[b][slot]; });
      if (step.guard != UINT32_MAX) continue;  // the old value may pass
      for_each_written(code, step, [&](uint32_t slot) { sets[b][slot] = true; });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = count; b-- > 0;) {
      std::vector<bool> now = reads[b];
      for (const uint32_t s : flow.cfg.blocks[b].successors) {
        for (size_t slot = 0; slot < now.size(); ++slot)
          now[slot] = now[slot] || (live[s][slot] && !sets[b][slot]);
      }
      if (now != live[b]) live[b] = std::move(now), changed = true;
    }
  }
  return live;
}

std::vector<bool> find_lazy_nans(const Code& code, const std::vector<uint16_t>& bits) {
  std::vector<bool> lazy(code.slots, false);
  for (const Step& step : code.steps) {
    if (!is_lazy_f32(step)) continue;
    for_each_written(code, step, [&](uint32_t slot) { lazy[slot] = bits[slot] == 32; });
  }
  // Copies of lazy values may be lazy too: assume so, then take back what has another source.
  for (const Step& step : code.steps) {
    if (step.spelling().op() != Op::kMov && step.spelling().op() != Op::kSelp) continue;
    for_each_written(code, step, [&](uint32_t slot) {
      if (bits[slot] == 32 && is_lowered(step)) lazy[slot] = true;
    });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : code.steps) {
      if (keeps_lazy(step, lazy)) continue;
      for_each_written(code, step, [&](uint32_t slot) {
        if (lazy[slot]) lazy[slot] = false, changed = true;
      });
    }
  }
  return lazy;
}

std::vector<bool> find_varying_lanes(const Analysis& analysis, uint32_t loop) {
  return find_varying(analysis, analysis.flow.loops[loop]).lanes;
}

}  // namespace warpledger::exec::jit
