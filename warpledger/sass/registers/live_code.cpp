#include "warpledger/sass/registers/live_code.h"

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

}  // namespace

LiveCode live_code(const KernelWitness& kernel) {
  const auto flow = flow_of(kernel);
  if (!flow) return {.unknown = "a branch or a call leads to where the code does not tell"};
  LiveCode made{.awaited = awaited(kernel.code, *flow), .is_reached = reached_from_start(*flow)};
  std::vector<RegisterUse> uses;
  for (const Instruction& instruction : kernel.code) {
    auto use = registers_of(instruction);
    if (!use) {
      made.unknown = "the operands of " + instruction.opcode + " are not known";
      return made;
    }
    uses.push_back(*std::move(use));
  }
  made.registers = live_registers(kernel.code, uses, *flow);
  made.producers = dependencies(uses, *flow);
  return made;
}

}  // namespace warpledger::sass
