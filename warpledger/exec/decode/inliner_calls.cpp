// How the Inliner inserts a call into its caller, and passes arguments and results.
#include <algorithm>

#include "warpledger/exec/decode/inliner.h"
#include "warpledger/exec/decode/operands.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;

/// Registers that a function may read before it has written them: a call begins with zeros.
std::vector<uint32_t> read_first(const Code& code, const ptx::Cfg& cfg) {
  std::vector<std::vector<bool>> live(cfg.blocks.size(), std::vector<bool>(code.slots));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = cfg.blocks.size(); b-- > 0;) {
      std::vector<bool> now(code.slots);
      for (const uint32_t s : cfg.blocks[b].successors)
        for (size_t i = 0; i < now.size(); ++i) now[i] = now[i] || live[s][i];
      for (uint32_t pc = cfg.blocks[b].end; pc-- > cfg.blocks[b].first;) {
        const Step& step = code.steps[pc];
        if (step.guard == UINT32_MAX)
          for_each_written(code, step, [&](uint32_t slot) { now[slot] = false; });
        for_each_read(code, step, [&](uint32_t slot) { now[slot] = true; });
      }
      if (now != live[b]) live[b] = std::move(now), changed = true;
    }
  }
  std::vector<uint32_t> first;
  for (uint32_t slot = 0; slot < code.slots; ++slot)
    if (live[0][slot]) first.push_back(slot);
  return first;
}

Value at_frame(uint64_t offset) {
  return {.kind = Value::Kind::kInFrame, .space = ptx::Space::kParam, .value = offset};
}

}  // namespace

// Whether a function runs from its start to its end: it needs no blocks of its own.
bool Inliner::is_straight(const Code& code, std::vector<const Code*> callers) const {
  if (std::ranges::find(callers, &code) != callers.end()) return false;  // recursion
  callers.push_back(&code);
  for (size_t pc = 0; pc < code.steps.size(); ++pc) {
    const Step& step = code.steps[pc];
    const Op op = step.spelling().op();
    if (op == Op::kCall) {
      const Code* callee = callee_of(program_, module_, step);
      const bool inlined = callee != nullptr || step.operands[1].kind != Value::Kind::kImmediate;
      if (inlined &&
          (callee == nullptr || step.guard != UINT32_MAX || !is_straight(*callee, callers)))
        return false;
    } else if (step.spelling().opcode().family == ptx::Family::kControl) {
      const bool returns = op == Op::kRet && step.guard == UINT32_MAX;
      if (!returns || pc + 1 != code.steps.size()) return false;
    }
  }
  return true;
}

// In the caller's block. The call and the return stay as instructions that do nothing.
Status Inliner::place_straight(Body& body, const Code& code, const Step& step) {
  Body callee{.code = code, .instance = body.instance, .frame = body.frame + body.code.frame_bytes};
  callers_.push_back(&code);
  take_registers(callee);
  take_values(callee);
  flat_->frame_bytes = std::max(flat_->frame_bytes, callee.frame + code.frame_bytes);
  WL_TRY_STATUS(pass_arguments(step, body, callee));
  place_nothing(step);
  for (uint32_t pc = 0; pc < code.steps.size(); ++pc) {
    if (code.steps[pc].spelling().op() == Op::kRet) {
      place_nothing(code.steps[pc]);
    } else {
      WL_TRY_STATUS(place_step(callee, pc));
    }
  }
  callers_.pop_back();
  return pass_results(step, body, callee);
}

void Inliner::place_nothing(const Step& step) {
  Step nothing = step;
  nothing.variant = &variant_of("membar.cta");
  add(nothing, 0, 0);
}

Status Inliner::pass_arguments(const Step& step, const Body& caller, const Body& callee) {
  const Code& code = callee.code;
  if (step.operands.size() > 2)
    WL_TRY_STATUS(
        pass(step, caller, callee, step.operands[2], code.function->signature.params, true));
  for (const uint32_t slot : read_first(code, ptx::build_cfg(module_, *code.function))) {
    const uint32_t bits = code.slot_bits[slot];
    add_extra(step, mov_of(bits),
              {in_register(callee.slots + slot, bits), {.kind = Value::Kind::kImmediate}});
  }
  return {};
}

Status Inliner::pass_results(const Step& step, const Body& caller, const Body& callee) {
  if (step.operands[0].kind != Value::Kind::kList) return {};
  return pass(step, caller, callee, step.operands[0], callee.code.function->signature.results,
              false);
}

Status Inliner::place_call(Body& body, const Code& code, const Step& step) {
  if (step.guard != UINT32_MAX) return refused(module_, step, "a call with a guard");
  if (is_straight(code, callers_)) return place_straight(body, code, step);
  Body callee{.code = code,
              .instance = static_cast<uint32_t>(flow_.instances.size()),
              .frame = body.frame + body.code.frame_bytes};
  flow_.instances.push_back({.parent = body.instance, .call_block = latest()});
  // Its registers are known before it is placed: arguments go there.
  const auto slots = static_cast<uint32_t>(flat_->slot_bits.size());
  callee.slots = slots, callee.pieces = slots + static_cast<uint32_t>(code.slot_bits.size());
  WL_TRY_STATUS(pass_arguments(step, body, callee));
  const auto first = static_cast<uint32_t>(flat_->values.size());
  flat_->values.push_back(label_at(static_cast<uint32_t>(flat_->steps.size()) + 1));
  Step jump = step;
  jump.variant = &variant_of("bra.uni");
  add(jump, first, 1);
  const uint32_t call_block = latest();
  flow_.instances[callee.instance].call_block = call_block;
  WL_TRY_STATUS(place(callee));
  const uint32_t back = open_block(body.instance);
  flow_.instances[callee.instance].return_block = back;
  join(callee, call_block, back);
  return pass_results(step, body, callee);
}

// The callee's ends are the return block, which only they lead to.
void Inliner::join(const Body& callee, uint32_t call_block, uint32_t back) {
  ptx::Cfg& cfg = flow_.cfg;
  cfg.blocks[call_block].successors = {callee.blocks[0]};
  flow_.meets[call_block] = back;
  for (const uint32_t b : callee.returns) {
    auto& to = cfg.blocks[b].successors;
    to.insert(to.begin(), back);
  }
  for (uint32_t b = 0; b < back; ++b) {
    if (flow_.instance_of[b] == callee.instance && flow_.meets[b] == kTheEnd) flow_.meets[b] = back;
  }
}

Status Inliner::pass(const Step& step, const Body& caller, const Body& callee, const Value& list,
                     const std::vector<uint32_t>& formals, bool in) {
  for (size_t i = 0; i < formals.size() && i < list.count; ++i) {
    const Value& actual = caller.code.values[list.slot + i];
    const ptx::Variable& formal = module_.variables[formals[i]];
    if (actual.kind != Value::Kind::kFrame || formal.space != ptx::Space::kParam)
      return refused(module_, step, "a call whose arguments are not parameters");
    const uint64_t own = caller.frame + actual.value,
                   theirs = callee.frame + program_.layout.places.at(formals[i]).offset;
    const auto *mine = plan_.pieces_of(actual.slot), *its = plan_.pieces_of(formals[i]);
    if (mine == nullptr || its == nullptr) {
      copy_bytes(step, in ? own : theirs, in ? theirs : own, formal.bytes());
    } else {
      for (const Piece& read : in ? *its : *mine) {
        const uint32_t written = slot_at(in ? *mine : *its, read.offset);
        const uint32_t to = (in ? callee : caller).pieces + read.slot,
                       from = (in ? caller : callee).pieces + written;
        add_extra(step, mov_of(8 * read.bytes),
                  {in_register(to, 8 * read.bytes), in_register(from, 8 * read.bytes)});
      }
    }
  }
  return {};
}

void Inliner::copy_bytes(const Step& step, uint64_t from, uint64_t to, uint64_t bytes) {
  const bool words = from % 8 == 0 && to % 8 == 0;
  for (uint64_t at = 0; at < bytes;) {
    const bool wide = words && bytes - at >= 8;
    const Value copy = in_register(copies_, 64);
    add_extra(step, wide ? "ld.param.b64" : "ld.param.b8", {copy, at_frame(from + at)});
    add_extra(step, wide ? "st.param.b64" : "st.param.b8", {at_frame(to + at), copy});
    at += wide ? 8 : 1;
  }
}

}  // namespace warpledger::exec::reference
