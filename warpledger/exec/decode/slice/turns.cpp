#include "warpledger/exec/decode/slice/turns.h"

#include <algorithm>
#include <cstring>

#include "warpledger/exec/decode/inline.h"
#include "warpledger/exec/decode/slice/base.h"
#include "warpledger/exec/decode/slice/role.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

using ptx::Op;
using reference::Code;
using reference::Program;
using reference::Step;
using reference::Value;

constexpr uint8_t kBetweenWarps = Home::kGlobal | Home::kShared;
constexpr size_t kHomes = 63;
constexpr uint64_t kAnywhere = uint64_t{1} << kHomes;

bool may_meet(const Home& a, const Home& b) {
  const uint8_t both = a.spaces & b.spaces;
  const bool apart = a.allocation != 0 && b.allocation != 0 && a.allocation != b.allocation;
  const bool beside = a.shared.end != 0 && b.shared.end != 0 && !a.shared.meets(b.shared);
  return ((both & Home::kShared) != 0 && !beside) || ((both & Home::kGlobal) != 0 && !apart);
}

bool is_block_barrier(const Step& step) {
  return step.spelling().op() == Op::kBarSync && step.operands.size() == 1 &&
         step.guard == UINT32_MAX;
}

// Copies write when they are waited for (interpreter/pending_copies.h).
bool ends_copies(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kCpAsyncWaitGroup || op == Op::kCpAsyncWaitAll;
}

bool enters_function(const Step& step, const ptx::Module& module) {
  if (step.spelling().op() != Op::kCall) return false;
  const Value& callee = step.operands[1];
  return callee.kind != Value::Kind::kImmediate ||
         module.functions[module.functions[callee.slot].definition].has_body;
}

// Instructions from the block's start on, a call the last of them: in compiled code the block ends
// there (inline.h).
uint32_t instructions_of(const Code& code, const ptx::Block& block, const ptx::Module& module) {
  uint32_t count = 0;
  for (uint32_t pc = block.first; pc < block.end; ++pc) {
    count += code.steps[pc].extra ? 0 : 1;
    if (enters_function(code.steps[pc], module)) break;
  }
  return count;
}

void mark_polls_and_loops(Code& code, const ptx::Cfg& cfg, const ptx::Module& module) {
  for (Step& step : code.steps) step.gives_way = step.polls;
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    const ptx::Block& block = cfg.blocks[b];
    const bool loops = std::any_of(block.predecessors.begin(), block.predecessors.end(),
                                   [b](uint32_t from) { return from >= b; });
    if (block.first < block.end)
      code.steps[block.first].loop_block = loops ? instructions_of(code, block, module) : 0;
  }
}

/// One function: forward through its blocks, what may have been read since the last barrier.
class Turns {
 public:
  Turns(Code& code, const ptx::Cfg& cfg, const Program& program, const Image& image,
        const Launch& launch)
      : code_(code), cfg_(cfg), bases_(code, image, launch), read_(cfg_.blocks.size()) {
    for (const Step& step : code.steps)
      roles_.push_back(role_of(step, program.layout.param_bytes, image.module().target.number));
    for (uint32_t pc = 0; pc < code.steps.size(); ++pc) find_homes(pc);
    // What a caller has read is not followed.
    if (code.index != program.codes[0]->index && !cfg_.blocks.empty()) read_[0] = kAnywhere;
  }

  /// `polls`: how often somebody asks is in the records, and depends on everybody's turns. They are
  /// then the same with and without values.
  void mark(bool polls) {
    polls_ = polls;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < cfg_.blocks.size(); ++b) changed |= pass(b);
    }
  }

 private:
  void find_homes(uint32_t pc) {
    const Step& step = code_.steps[pc];
    const Role& role = roles_[pc];
    const bool is_atomic = step.spelling().op() == Op::kAtom || step.spelling().op() == Op::kRed;
    // .nc promises that the kernel does not write there; an atomic's read and write are one.
    const bool reads = role.reads && !is_atomic && !step.variant->has(ptx::Modifier::kNc);
    read_by_.push_back(reads ? bit_of(home_read(pc)) : 0);
  }

  [[nodiscard]] SharedRange named_bytes(const Step& step, const Value& address) const {
    const Op op = step.spelling().op();
    const bool plain = op == Op::kLd || op == Op::kSt;
    if (!plain || address.kind != Value::Kind::kFixed) return {};
    const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
    return {address.value, address.value + bytes * step.spelling().vector};
  }
  [[nodiscard]] Home home_at(const Step& step, uint8_t operand) const {
    Home home = bases_.home_of(step, step.operands[operand]);
    const Op op = step.spelling().op();
    if (op == Op::kLdmatrix || op == Op::kStmatrix) home.spaces = Home::kShared;
    if (home.spaces == Home::kShared) home.shared = named_bytes(step, step.operands[operand]);
    return home;
  }
  [[nodiscard]] Home home_read(uint32_t pc) const {
    if (roles_[pc].read_spaces != 0) return {.spaces = roles_[pc].read_spaces};
    Home home = home_at(code_.steps[pc], roles_[pc].address);
    if (roles_[pc].written_at) home.spaces = Home::kGlobal;  // cp.async
    return home;
  }
  [[nodiscard]] Home home_written(uint32_t pc) const {
    if (roles_[pc].written_spaces != 0) return {.spaces = roles_[pc].written_spaces};
    return home_at(code_.steps[pc], roles_[pc].address);
  }

  // Reads of one home are one bit. The last bit is reads that may be anywhere.
  uint64_t bit_of(const Home& home) {
    if ((home.spaces & kBetweenWarps) == 0) return 0;
    const auto same = [&](const Home& other) {
      return other.spaces == home.spaces && other.allocation == home.allocation &&
             other.shared == home.shared;
    };
    const auto found = std::find_if(homes_.begin(), homes_.end(), same);
    const auto at = static_cast<size_t>(found - homes_.begin());
    if (at == kHomes) return kAnywhere;
    if (at == homes_.size()) homes_.push_back(home);
    return uint64_t{1} << at;
  }
  [[nodiscard]] uint64_t met_by(const Home& written) const {
    uint64_t met = (written.spaces & kBetweenWarps) != 0 ? kAnywhere : 0;
    for (size_t i = 0; i < homes_.size(); ++i) {
      if (may_meet(homes_[i], written)) met |= uint64_t{1} << i;
    }
    return met;
  }
  [[nodiscard]] uint64_t overwritten_by(uint32_t pc) const {
    if (ends_copies(code_.steps[pc])) return met_by({.spaces = Home::kShared});
    const Role& role = roles_[pc];
    return role.writes && !role.written_at ? met_by(home_written(pc)) : 0;
  }

  // A write that gives way leaves the reads that it meets behind it, whether it had to or not: so
  // what is known of a block only grows, and the passes end.
  bool pass(uint32_t b) {
    uint64_t read = read_[b];
    for (uint32_t pc = cfg_.blocks[b].first; pc < cfg_.blocks[b].end; ++pc) {
      Step& step = code_.steps[pc];
      if (is_block_barrier(step)) read = 0;
      if (step.spelling().op() == Op::kCall) read |= kAnywhere;
      if (step.dropped && !polls_) continue;
      const uint64_t overwritten = overwritten_by(pc);
      step.gives_way |= (read & overwritten) != 0;
      read = (read & ~overwritten) | read_by_[pc];
    }
    bool changed = false;
    for (const uint32_t to : cfg_.blocks[b].successors) {
      changed |= (read & ~read_[to]) != 0;
      read_[to] |= read;
    }
    return changed;
  }

  Code& code_;
  const ptx::Cfg& cfg_;
  Bases bases_;
  std::vector<Role> roles_;
  std::vector<Home> homes_;        // that something reads
  std::vector<uint64_t> read_by_;  // by step: bits of homes_
  std::vector<uint64_t> read_;     // by block: at its start
  bool polls_ = false;
};

}  // namespace

void mark_turns(Program& program, const Image& image, const Launch& launch) {
  const bool has_other_warps = launch.block[0] * launch.block[1] * launch.block[2] > 32;
  bool polls = false;
  for (const auto& code : program.codes)
    for (const Step& step : code->steps) polls |= step.polls;
  for (const auto& code : program.codes) {
    const ptx::Cfg cfg = reference::cfg_of(*code, image.module());
    mark_polls_and_loops(*code, cfg, image.module());
    if (has_other_warps) Turns(*code, cfg, program, image, launch).mark(polls);
  }
}

std::vector<uint64_t> allocations_of(const Launch& launch, const Image& image) {
  std::vector<uint64_t> allocations;
  const auto add = [&](uint64_t pointer) {
    const Allocation* found = image.memory().holding(pointer);
    allocations.push_back(found == nullptr ? 0 : found->address);
  };
  const auto& variables = image.module().variables;
  for (uint32_t i = 0; i < variables.size(); ++i)
    if (variables[i].space == ptx::Space::kGlobal) add(image.address_of(i));
  for (size_t at = 0; at + sizeof(uint64_t) <= launch.params.size(); at += sizeof(uint64_t)) {
    uint64_t value = 0;
    std::memcpy(&value, launch.params.data() + at, sizeof value);
    add(value);
  }
  std::vector<uint64_t> first;  // place of the same allocation, from 1
  for (const uint64_t one : allocations) {
    const auto same = std::find(allocations.begin(), allocations.end(), one);
    first.push_back(one == 0 ? 0 : static_cast<uint64_t>(same - allocations.begin()) + 1);
  }
  return first;
}

}  // namespace warpledger::exec
