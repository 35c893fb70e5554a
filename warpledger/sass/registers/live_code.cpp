#include "warpledger/sass/registers/live_code.h"

#include <algorithm>

namespace warpledger::sass {
namespace {

std::vector<bool> reached_from_start(const CodeFlow& flow) {
  std::vector<bool> reached(flow.next.size());
  std::vector<uint32_t> open;
  const auto visit = [&](uint32_t at) {
    if (reached[at]) return;
    reached[at] = true;
    open.push_back(at);
  };
  if (!reached.empty()) visit(0);
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (const uint32_t next : flow.next[at]) visit(next);
  }
  return reached;
}

/// Of each instruction. `unknown` says of which the operands are not known, and then there is none.
std::optional<std::vector<RegisterUse>> uses_of(const std::vector<Instruction>& code,
                                                std::string& unknown) {
  std::vector<RegisterUse> uses;
  for (const Instruction& instruction : code) {
    auto use = registers_of(instruction);
    if (!use) {
      unknown = "the operands of " + instruction.opcode + " are not known";
      return {};
    }
    uses.push_back(*std::move(use));
  }
  return uses;
}

}  // namespace

LiveCode live_code(const KernelWitness& kernel) {
  const auto flow = flow_of(kernel);
  if (!flow) return {.unknown = "a branch or a call leads to where the code does not tell"};
  LiveCode made{.awaited = awaited(kernel.code, *flow), .is_reached = reached_from_start(*flow)};
  const auto uses = uses_of(kernel.code, made.unknown);
  if (!uses) return made;
  made.registers = live_registers(kernel.code, *uses, *flow);
  made.producers = dependencies(*uses, *flow);
  return made;
}

std::optional<uint32_t> most_live(const KernelWitness& kernel) {
  std::string unknown;
  const auto flow = flow_of(kernel);
  const auto uses = flow ? uses_of(kernel.code, unknown) : std::nullopt;
  if (!uses) return {};
  uint32_t most = 0;
  for (const LiveRegisters& at : live_registers(kernel.code, *uses, *flow))
    most = std::max(most, at.general);
  return most;
}

}  // namespace warpledger::sass
