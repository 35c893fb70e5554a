#include "warpledger/sass/witness/blocks.h"

#include <algorithm>

#include "warpledger/sass/unit.h"

namespace warpledger::sass {
namespace {

/// A second predicate among the operands (BRA P1, 0x2f0) makes a branch conditional as well, and
/// BRA.DIV and BRA.CONV ask whether the warp has diverged.
bool is_conditional(const Instruction& instruction) {
  if (!instruction.predicate.empty() || instruction.has("DIV") || instruction.has("CONV"))
    return true;
  return !instruction.operands.empty() && instruction.operands.size() > 1 &&
         (instruction.operands[0].starts_with('P') || instruction.operands[0].starts_with("!P") ||
          instruction.operands[0].starts_with("UP") || instruction.operands[0].starts_with("!UP"));
}

bool is_branch(const std::string& base) {
  return is_any(base, {"BRA", "JMP", "BRX", "JMX", "BRXU"});
}
bool is_leave(const std::string& base) { return is_any(base, {"EXIT", "RET", "KILL"}); }
bool is_trap(const Instruction& instruction) {
  return instruction.base() == "BPT" && instruction.has("TRAP");
}

/// `@P0 CALL.REL.NOINC` to a label of its own function is a jump of ptxas's: nothing returns from
/// there. A call of a function names it.
bool is_jump_by_call(const Instruction& instruction) {
  if (instruction.base() != "CALL" || !instruction.has("NOINC") || !instruction.target)
    return false;
  const std::string& to = instruction.operands.back();
  return !instruction.predicate.empty() && (read_address(to) || to.starts_with("`(.L"));
}

bool ends_block(const Instruction& instruction) {
  const std::string base = instruction.base();
  return is_branch(base) || is_leave(base) || is_jump_by_call(instruction);
}

class Builder {
 public:
  Builder(const std::vector<Instruction>& code, const std::vector<SassFunction>& functions,
          const std::map<uint64_t, std::vector<uint64_t>>& indirect)
      : code_(code), functions_(functions), indirect_(indirect) {
    for (uint32_t i = 0; i < code.size(); ++i) index_of_[code[i].address] = i;
  }

  std::vector<SassBlock> build() {
    cut();
    for (uint32_t b = 0; b < blocks_.size(); ++b) link(b);
    reach();
    return std::move(blocks_);
  }

 private:
  [[nodiscard]] std::optional<uint32_t> index(uint64_t address) const {
    const auto found = index_of_.find(address);
    return found == index_of_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::vector<uint32_t> targets(const Instruction& instruction) const {
    std::vector<uint32_t> found;
    const auto add = [&](uint64_t address) {
      if (const auto at = index(address)) found.push_back(*at);
    };
    if (!is_branch(instruction.base()) && !is_jump_by_call(instruction)) return found;
    if (instruction.target) add(*instruction.target);
    if (const auto several = indirect_.find(instruction.address); several != indirect_.end())
      for (const uint64_t address : several->second) add(address);
    return found;
  }
  void cut() {
    std::vector<bool> leader(code_.size() + 1);
    if (code_.empty()) return;
    leader[0] = true;
    for (const SassFunction& function : functions_) leader[function.first] = true;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      for (const uint32_t target : targets(code_[i])) leader[target] = true;
      if (ends_block(code_[i])) leader[i + 1] = true;
    }
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (leader[i]) blocks_.push_back({.first = i, .end = i});
      blocks_.back().end = i + 1;
      block_of_.push_back(static_cast<uint32_t>(blocks_.size()) - 1);
    }
  }
  void add_edge(uint32_t from, uint32_t to) {
    std::vector<uint32_t>& successors = blocks_[from].successors;
    if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
    successors.push_back(to);
    blocks_[to].predecessors.push_back(from);
  }
  void link(uint32_t b) {
    SassBlock& block = blocks_[b];
    const Instruction& last = code_[block.end - 1];
    const std::vector<uint32_t> found = targets(last);
    for (const uint32_t target : found) add_edge(b, block_of_[target]);
    block.has_unknown_successors = is_branch(last.base()) && found.empty();
    block.leaves = is_leave(last.base()) || is_trap(last);
    const bool starts_function =
        std::any_of(functions_.begin(), functions_.end(),
                    [&](const SassFunction& function) { return function.first == block.end; });
    if (!ends_flow(last) && block.end < code_.size() && !starts_function) add_edge(b, b + 1);
  }
  /// Padding after the last EXIT is a branch to itself, which nothing enters.
  void reach() {
    for (SassBlock& block : blocks_) block.is_reachable = false;
    std::vector<uint32_t> waiting;
    const auto visit = [&](uint32_t b) {
      if (blocks_[b].is_reachable) return;
      blocks_[b].is_reachable = true;
      waiting.push_back(b);
    };
    for (const SassFunction& function : functions_) {
      if (function.first < block_of_.size()) visit(block_of_[function.first]);
    }
    bool is_known = true;
    while (!waiting.empty()) {
      const uint32_t b = waiting.back();
      waiting.pop_back();
      is_known = is_known && !blocks_[b].has_unknown_successors;
      for (const uint32_t next : blocks_[b].successors) visit(next);
    }
    if (is_known) return;  // else a branch may lead anywhere
    for (SassBlock& block : blocks_) block.is_reachable = true;
  }

  const std::vector<Instruction>& code_;
  const std::vector<SassFunction>& functions_;
  const std::map<uint64_t, std::vector<uint64_t>>& indirect_;
  std::map<uint64_t, uint32_t> index_of_;
  std::vector<SassBlock> blocks_;
  std::vector<uint32_t> block_of_;
};

}  // namespace

bool ends_flow(const Instruction& instruction) {
  return ends_block(instruction) && !is_conditional(instruction);
}

bool is_call(const Instruction& instruction) {
  return instruction.base() == "CALL" && !is_jump_by_call(instruction);
}

std::vector<SassBlock> build_blocks(const std::vector<Instruction>& code,
                                    const std::vector<SassFunction>& functions,
                                    const std::map<uint64_t, std::vector<uint64_t>>& indirect) {
  return Builder(code, functions, indirect).build();
}

bool runs_again(const std::vector<SassBlock>& blocks, uint32_t block) {
  if (blocks[block].has_unknown_successors) return true;
  std::vector<bool> seen(blocks.size());
  std::vector<uint32_t> open = blocks[block].successors;
  while (!open.empty()) {
    const uint32_t next = open.back();
    open.pop_back();
    if (next == block || blocks[next].has_unknown_successors) return true;
    if (seen[next]) continue;
    seen[next] = true;
    open.insert(open.end(), blocks[next].successors.begin(), blocks[next].successors.end());
  }
  return false;
}

bool has_one_exit(const KernelWitness& kernel) {
  return std::count_if(kernel.blocks.begin(), kernel.blocks.end(), [&](const SassBlock& block) {
           return block.is_reachable && kernel.code[block.end - 1].base() == "EXIT";
         }) == 1;
}

bool makes_calls(const KernelWitness& kernel, uint32_t block) {
  const auto first = kernel.code.begin() + kernel.blocks[block].first;
  const auto end = kernel.code.begin() + kernel.blocks[block].end;
  return std::any_of(first, end, is_call);
}

bool calls_by_pointer(const std::vector<Instruction>& code) {
  return std::any_of(code.begin(), code.end(), [](const Instruction& one) {
    return is_call(one) && !one.operands.empty() && one.operands.front().starts_with('R');
  });
}

}  // namespace warpledger::sass
