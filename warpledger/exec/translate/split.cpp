#include "warpledger/exec/translate/split.h"

#include <map>
#include <numeric>

#include "warpledger/exec/decode/inline.h"
#include "warpledger/exec/jit/analysis/flow.h"
#include "warpledger/exec/jit/analysis/registers.h"

namespace warpledger::exec::translate {
namespace {

using reference::Code;
using reference::Step;
using reference::Value;

/// Sets of definitions, joined where a use may see both.
class Webs {
 public:
  uint32_t add() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return parent_.back();
  }
  uint32_t find(uint32_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void join(uint32_t a, uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<uint32_t> parent_;
};

bool is_written(const Step& step, size_t operand) {
  const auto& shapes = step.spelling().form->operands;
  return operand < shapes.size() && shapes[operand].written &&
         step.operands[operand].kind != Value::Kind::kIndirect;
}

class Splitter {
 public:
  Splitter(Code& code, const ptx::Module& module) : code_(code) {
    flow_.cfg = reference::cfg_of(code, module);
    live_ = jit::find_live_slots(code, flow_);
  }

  std::vector<uint32_t> run() {
    const auto& blocks = flow_.cfg.blocks;
    at_start_.assign(blocks.size(), std::vector<uint32_t>(code_.slots));
    for (auto& start : at_start_)
      for (uint32_t& web : start) web = webs_.add();
    for (uint32_t b = 0; b < blocks.size(); ++b) visit_block(b);
    rename();
    return std::move(origin_);
  }

 private:
  void visit_block(uint32_t b) {
    std::vector<uint32_t> now = at_start_[b];
    const ptx::Block& block = flow_.cfg.blocks[b];
    for (uint32_t pc = block.first; pc < block.end; ++pc) {
      Step& step = code_.steps[pc];
      if (step.guard != UINT32_MAX) uses_.push_back({&step.guard, now[step.guard]});
      for (size_t i = 0; i < step.operands.size(); ++i)
        if (!is_written(step, i)) visit(step.operands[i], now, false);
      // Under a guard the old value may stay.
      for (size_t i = 0; i < step.operands.size(); ++i)
        if (is_written(step, i)) visit(step.operands[i], now, step.guard == UINT32_MAX);
    }
    for (const uint32_t next : block.successors)
      for (uint32_t slot = 0; slot < code_.slots; ++slot)
        if (live_[next][slot]) webs_.join(now[slot], at_start_[next][slot]);
  }

  void visit(const Value& value, std::vector<uint32_t>& now, bool is_new) {
    if (value.kind == Value::Kind::kList) {
      for (uint32_t i = 0; i < value.count; ++i) visit(code_.values[value.slot + i], now, is_new);
      return;
    }
    if (value.kind != Value::Kind::kRegister && value.kind != Value::Kind::kIndirect) return;
    if (is_new) now[value.slot] = webs_.add();
    Value& own = code_.values[static_cast<size_t>(&value - code_.values.data())];
    uses_.push_back({&own.slot, now[value.slot]});
  }

  void rename() {
    std::map<uint32_t, uint32_t> slots;  // by web
    std::vector<uint16_t> bits;
    for (const auto& [place, web] : uses_) {
      const auto [found, fresh] =
          slots.emplace(webs_.find(web), static_cast<uint32_t>(origin_.size()));
      if (fresh) {
        origin_.push_back(*place);
        bits.push_back(code_.slot_bits[*place]);
      }
      renamed_.push_back(found->second);
    }
    for (size_t i = 0; i < uses_.size(); ++i) *uses_[i].place = renamed_[i];
    code_.slots = static_cast<uint32_t>(origin_.size());
    code_.slot_bits = std::move(bits);
  }

  struct Use {
    uint32_t* place;
    uint32_t web;
  };
  Code& code_;
  jit::Flow flow_;
  std::vector<std::vector<bool>> live_;
  std::vector<std::vector<uint32_t>> at_start_;
  Webs webs_;
  std::vector<Use> uses_;
  std::vector<uint32_t> renamed_, origin_;
};

}  // namespace

std::vector<uint32_t> split_registers(Code& code, const ptx::Module& module) {
  return Splitter(code, module).run();
}

}  // namespace warpledger::exec::translate
