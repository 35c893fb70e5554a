#include "warpledger/exec/decode/slice/slice.h"

#include <algorithm>

#include "warpledger/exec/decode/inline.h"
#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/decode/slice/base.h"
#include "warpledger/exec/decode/slice/role.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Op;
using reference::Code;
using reference::Program;
using reference::Step;
using reference::Value;

/// What the machine's own functions read (interpreter/builtin.cpp).
struct Builtins {
  bool reads_anything = false;  // vprintf: its arguments; an indirect call may be one
  bool allocates = false;
};

Builtins builtins_of(const ptx::Module& module, const Step& step) {
  if (step.spelling().op() != Op::kCall) return {};
  const Value& callee = step.operands[1];
  if (callee.kind != Value::Kind::kImmediate) return {.reads_anything = true, .allocates = true};
  const ptx::Function& function = module.functions[callee.slot];
  if (module.functions[function.definition].has_body) return {};
  return {.reads_anything = function.name == "vprintf",
          .allocates = function.name == "malloc" || function.name == "free"};
}

/// Every store is kept for tensor maps that the kernel changes.
bool reads_memory_itself(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kTensormapReplace || op == Op::kTensormapCpFenceproxy;
}

bool allocates_tensor_memory(const Program& program) {
  return std::any_of(program.codes.begin(), program.codes.end(), [](const auto& code) {
    return std::any_of(code->steps.begin(), code->steps.end(),
                       [](const Step& step) { return step.spelling().op() == Op::kTcgen05Alloc; });
  });
}

constexpr size_t kMostGuesses = 64;  // reference/ has a bit for each

/// The bytes of shared memory that a load or store names itself.
SharedRange named_bytes(const Step& step, const Value& address) {
  const Op op = step.spelling().op();
  if ((op != Op::kLd && op != Op::kSt) || step.spelling().space() != ptx::Space::kShared ||
      address.kind != Value::Kind::kFixed)
    return {};
  const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8 * step.spelling().vector;
  return {address.value, address.value + bytes};
}

/// One function: its roles, and which registers are needed where.
class Cut {
 public:
  Cut(Code& code, const Program& program, const Image& image, const Launch& launch)
      : code_(code),
        cfg_(reference::cfg_of(code, image.module())),
        bases_(code, image, launch),
        guesses_(allocates_tensor_memory(program)),
        carry_(code.slots),
        kept_(code.steps.size()),
        needed_(cfg_.blocks.size() + 1, std::vector<bool>(carry_ + 1)) {
    for (const Step& step : code.steps)
      roles_.push_back(role_of(step, program.layout.param_bytes, image.module().target.number));
    for (const uint32_t result : code.function->signature.results) {
      const ptx::Variable& variable = image.module().variables[result];
      if (variable.space == ptx::Space::kRegister)
        needed_.back()[code.slot_of[variable.reg]] = true;
    }
  }

  /// One pass from the end to the start. `reads`: what kept loads of all functions may read; true
  /// when something came to be kept or needed.
  bool pass(std::vector<Home>& reads) {
    bool changed = false;
    for (auto b = static_cast<uint32_t>(cfg_.blocks.size()); b-- > 0;) {
      std::vector<bool> now = needed_behind(b);
      const ptx::Block& block = cfg_.blocks[b];
      for (uint32_t pc = block.end; pc-- > block.first;) changed |= visit(pc, now, reads);
      if (now != needed_[b]) needed_[b] = std::move(now), changed = true;
    }
    return changed;
  }

  /// Whether some kept step brings in what another launch, or the host, may have written.
  [[nodiscard]] bool reads_memory() const {
    for (uint32_t pc = 0; pc < code_.steps.size(); ++pc) {
      const ptx::Spelling& spelling = code_.steps[pc].spelling();
      const ptx::MemoryKind kind = spelling.opcode().memory;
      const bool loads = kind == ptx::MemoryKind::kLoad || kind == ptx::MemoryKind::kAtomic ||
                         kind == ptx::MemoryKind::kAsync || kind == ptx::MemoryKind::kTexture;
      if (roles_[pc].part == Part::kAlways && loads) return true;
      if (spelling.op() == Op::kCpAsyncBulkTensor || spelling.op() == Op::kCpReduceAsyncBulkTensor)
        return true;  // the tensor map may be in memory
      if (!kept_[pc] || !roles_[pc].reads) continue;
      const uint8_t spaces = home_read(pc).spaces;
      if (spaces == 0 || (spaces & Home::kGlobal) != 0) return true;  // 0: constants
    }
    return false;
  }

  void mark(Slice& slice) {
    for (uint32_t pc = 0; pc < code_.steps.size(); ++pc) {
      Step& step = code_.steps[pc];
      const Role& role = roles_[pc];
      step.dropped = !kept_[pc];
      step.vanishes = step.dropped && role.part == Part::kValue;
      for (const uint8_t operand : role.needed) step.still_reads |= uint8_t(1u << operand);
      ++slice.instructions;
      slice.dropped += step.dropped ? 1 : 0;
      const bool orders = step.spelling().opcode().memory == ptx::MemoryKind::kBarrierObject ||
                          step.spelling().op() == Op::kCall;
      const bool local = role.part == Part::kAccess && home_written(pc).spaces == Home::kLocal;
      slice.order_matters |= orders || (kept_[pc] && role.writes && !local);
    }
  }

 private:
  [[nodiscard]] std::vector<bool> needed_behind(uint32_t b) const {
    const ptx::Block& block = cfg_.blocks[b];
    std::vector<bool> now(carry_ + 1);
    const auto add = [&](const std::vector<bool>& more) {
      for (size_t i = 0; i < now.size(); ++i) now[i] = now[i] || more[i];
    };
    for (const uint32_t s : block.successors) add(needed_[s]);
    if (block.leaves || block.successors.empty()) add(needed_.back());
    return now;
  }

  // The carry is one more register: behind the last.
  template <class F>
  void each_written(const Step& step, F f) const {
    reference::for_each_written(code_, step, f);
    if (step.variant->has(Modifier::kCc)) f(carry_);
  }
  template <class F>
  void each_read(const Step& step, F f) const {
    reference::for_each_read(code_, step, f);
    const Op op = step.spelling().op();
    if (op == Op::kAddc || op == Op::kSubc || op == Op::kMadc) f(carry_);
  }

  [[nodiscard]] Home home_read(uint32_t pc) const {
    const Step& step = code_.steps[pc];
    const Op op = step.spelling().op();
    if (roles_[pc].read_spaces != 0) return {.spaces = roles_[pc].read_spaces};
    Home home = bases_.home_of(step, step.operands[roles_[pc].address]);
    if (op == Op::kLdmatrix || op == Op::kStmatrix) home.spaces = Home::kShared;
    if (op == Op::kCpAsync) home.spaces = Home::kGlobal;
    if (guesses_) home.shared = named_bytes(step, step.operands[roles_[pc].address]);
    return home;
  }
  [[nodiscard]] Home home_written(uint32_t pc) const {
    if (roles_[pc].written_spaces != 0) return {.spaces = roles_[pc].written_spaces};
    return roles_[pc].written_at ? Home{.spaces = Home::kShared} : home_read(pc);
  }

  [[nodiscard]] bool is_wanted(uint32_t pc, const std::vector<bool>& needed,
                               const std::vector<Home>& reads) const {
    const Role& role = roles_[pc];
    if (role.part == Part::kAlways) return true;
    bool wanted = false;
    each_written(code_.steps[pc], [&](uint32_t slot) { wanted = wanted || needed[slot]; });
    if (wanted || !role.writes) return wanted;
    const Home home = home_written(pc);
    return std::any_of(reads.begin(), reads.end(),
                       [&](const Home& read) { return home.may_feed(read); });
  }

  bool visit(uint32_t pc, std::vector<bool>& needed, std::vector<Home>& reads) {
    const Step& step = code_.steps[pc];
    const Role& role = roles_[pc];
    const bool is_new = !kept_[pc] && is_wanted(pc, needed, reads);
    if (is_new) {
      kept_[pc] = true;
      // .nc promises that the kernel does not write there.
      if (role.reads && !step.variant->has(Modifier::kNc)) {
        reads.push_back(home_read(pc));
        if (reads.size() > kMostGuesses) reads.back().shared = {};
      }
    }
    if (step.guard == UINT32_MAX) each_written(step, [&](uint32_t slot) { needed[slot] = false; });
    // How many lanes execute an instruction is counted, whatever becomes of it.
    if (step.guard != UINT32_MAX) needed[step.guard] = true;
    if (kept_[pc]) {
      each_read(step, [&](uint32_t slot) { needed[slot] = true; });
    } else {
      for (const uint8_t operand : role.needed) {
        if (operand >= step.operands.size()) continue;
        reference::for_each_slot(code_, step.operands[operand],
                                 [&](uint32_t slot) { needed[slot] = true; });
      }
    }
    return is_new;
  }

  Code& code_;
  ptx::Cfg cfg_;
  Bases bases_;
  bool guesses_;
  uint32_t carry_;
  std::vector<Role> roles_;
  std::vector<bool> kept_;                 // by step
  std::vector<std::vector<bool>> needed_;  // by block, at its start; last: at the end
};

}  // namespace

Slice cut_slice(Program& program, const Image& image, const Launch& launch) {
  Slice slice{.is_cut = true};
  std::vector<Home> reads;
  bool allocates = false;
  std::vector<std::unique_ptr<Cut>> cuts;
  for (const auto& code : program.codes) {
    for (const Step& step : code->steps) {
      const Builtins builtins = builtins_of(image.module(), step);
      if (builtins.reads_anything) reads.push_back({});
      if (step.spelling().op() == Op::kCall)
        reads.push_back({.spaces = Home::kLocal});  // arguments
      if (reads_memory_itself(step)) reads.push_back({});
      allocates |= builtins.allocates;
    }
    cuts.push_back(std::make_unique<Cut>(*code, program, image, launch));
  }
  if (allocates) return {.order_matters = true};
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& cut : cuts) changed |= cut->pass(reads);
  }
  for (const auto& cut : cuts) cut->mark(slice);
  slice.reads_memory =
      std::any_of(cuts.begin(), cuts.end(), [](const auto& cut) { return cut->reads_memory(); });
  for (const Home& read : reads) {
    if (read.shared.end != 0) slice.guessed.push_back(read.shared);
  }
  return slice;
}

}  // namespace warpledger::exec
