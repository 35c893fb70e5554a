#include "warpledger/sass/registers/flow.h"

#include <algorithm>
#include <map>

#include "warpledger/sass/witness/blocks.h"

namespace warpledger::sass {
namespace {

/// Where each subroutine, by its first instruction, is called from.
using Calls = std::map<uint32_t, std::vector<uint32_t>>;

/// "`(name)" or "name": as the two forms of listings write it.
std::string_view name_in(std::string_view operand) {
  if (operand.starts_with("`(") && operand.ends_with(')'))
    return operand.substr(2, operand.size() - 3);
  return operand;
}

/// The first instruction of the subroutine that is called.
std::optional<uint32_t> callee_of(const KernelWitness& kernel, const Instruction& call) {
  if (call.operands.empty()) return {};
  for (const SassFunction& function : kernel.functions)
    if (function.name == name_in(call.operands.back())) return function.first;
  for (uint32_t i = 0; call.target && i < kernel.code.size(); ++i)
    if (kernel.code[i].address == *call.target) return i;
  return {};
}

/// Nothing where one of them leads outside.
std::optional<Calls> calls_of(const KernelWitness& kernel) {
  Calls calls;
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& instruction = kernel.code[i];
    if (!is_call(instruction)) continue;
    const auto callee = callee_of(kernel, instruction);
    if (!callee) return {};
    calls[*callee].push_back(i);
  }
  return calls;
}

/// The calls that a RET may return from.
std::vector<uint32_t> callers_of(const KernelWitness& kernel, const Calls& calls, uint32_t at) {
  for (const SassFunction& function : kernel.functions) {
    if (at < function.first || at >= function.end) continue;
    const auto found = calls.find(function.first);
    if (found != calls.end()) return found->second;
  }
  // A subroutine that the symbol table does not tell apart: the nearest that is called.
  auto nearest = calls.upper_bound(at);
  return nearest == calls.begin() ? std::vector<uint32_t>{} : std::prev(nearest)->second;
}

void add(std::vector<uint32_t>& to, uint32_t which) {
  if (std::find(to.begin(), to.end(), which) == to.end()) to.push_back(which);
}

void link_block(const KernelWitness& kernel, const SassBlock& block, CodeFlow& flow) {
  for (uint32_t i = block.first; i + 1 < block.end; ++i) add(flow.next[i], i + 1);
  for (const uint32_t to : block.successors) add(flow.next[block.end - 1], kernel.blocks[to].first);
}

void link_calls(const KernelWitness& kernel, const Calls& calls, CodeFlow& flow) {
  for (const auto& [callee, callers] : calls) {
    for (const uint32_t caller : callers) {
      // What runs after an unguarded call runs after the return.
      if (kernel.code[caller].predicate.empty()) flow.next[caller].clear();
      add(flow.next[caller], callee);
    }
  }
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    if (kernel.code[i].base() != "RET") continue;
    for (const uint32_t caller : callers_of(kernel, calls, i))
      if (caller + 1 < kernel.code.size()) add(flow.next[i], caller + 1);
  }
}

}  // namespace

std::optional<CodeFlow> flow_of(const KernelWitness& kernel) {
  const auto calls = calls_of(kernel);
  if (!calls) return {};
  CodeFlow flow;
  flow.next.resize(kernel.code.size());
  flow.before.resize(kernel.code.size());
  for (const SassBlock& block : kernel.blocks) {
    if (block.has_unknown_successors && block.is_reachable) return {};
    link_block(kernel, block, flow);
  }
  link_calls(kernel, *calls, flow);
  for (uint32_t i = 0; i < flow.next.size(); ++i)
    for (const uint32_t to : flow.next[i]) flow.before[to].push_back(i);
  return flow;
}

}  // namespace warpledger::sass
