#include "warpledger/sass/witness/seen.h"

#include <algorithm>

#include "warpledger/sass/witness/blocks.h"

namespace warpledger::sass {
namespace {

// A block runs as often as its first instruction.
uint64_t runs_of(const KernelWitness& kernel, const std::vector<uint32_t>& blocks,
                 const std::vector<uint64_t>& executions) {
  uint64_t sum = 0;
  for (const uint32_t block : blocks) sum += executions[kernel.blocks[block].first];
  return sum;
}

}  // namespace

const ptx::Function* ptx_function(const ptx::Module& module, const KernelWitness& kernel,
                                  std::string_view name) {
  const std::string prefix = "$" + kernel.name + "$";
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return module.find(name);
}

bool is_ptxas_own(const ptx::Module& module, const KernelWitness& kernel,
                  const SassFunction& function) {
  return function.first != 0 && ptx_function(module, kernel, function.name) == nullptr;
}

bool has_ptxas_own(const ptx::Module& module, const KernelWitness& kernel) {
  return std::any_of(
      kernel.functions.begin(), kernel.functions.end(),
      [&](const SassFunction& function) { return is_ptxas_own(module, kernel, function); });
}

uint32_t block_at(const KernelWitness& kernel, uint32_t index) {
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    if (index >= kernel.blocks[b].first && index < kernel.blocks[b].end) return b;
  return 0;
}

std::vector<uint32_t> calls_of(const KernelWitness& kernel, const SassFunction& function) {
  std::vector<uint32_t> calls;
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& one = kernel.code[i];
    if (is_call(one) && !one.operands.empty() &&
        one.operands.back().find(function.name) != std::string::npos)
      calls.push_back(i);
  }
  return calls;
}

std::vector<uint32_t> blocks_before(const KernelWitness& kernel, uint32_t block) {
  std::vector<uint32_t> before = kernel.blocks[block].predecessors;
  for (const SassFunction& function : kernel.functions) {
    if (function.first == 0 || function.first != kernel.blocks[block].first) continue;
    for (const uint32_t call : calls_of(kernel, function)) before.push_back(block_at(kernel, call));
  }
  return before;
}

Shares seen_shares(const ptx::Module& module, const KernelWitness& kernel,
                   const std::vector<uint64_t>& executions) {
  Shares shares;
  const auto note = [&](uint32_t block) {
    const uint64_t before = runs_of(kernel, blocks_before(kernel, block), executions);
    const uint64_t runs = executions[kernel.blocks[block].first];
    if (before > 0) shares[block] = static_cast<double>(runs) / static_cast<double>(before);
  };
  for (const SassFunction& function : kernel.functions) {
    if (!is_ptxas_own(module, kernel, function)) continue;
    for (const uint32_t call : calls_of(kernel, function)) note(block_at(kernel, call));
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
      if (kernel.blocks[b].first >= function.first && kernel.blocks[b].end <= function.end) note(b);
  }
  return shares;
}

}  // namespace warpledger::sass
