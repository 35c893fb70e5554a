#include "warpledger/sass/witness/ptx_side.h"

namespace warpledger::sass {

bool is_in_loop(const ptx::Cfg& cfg, uint32_t block) {
  std::vector<bool> seen(cfg.blocks.size());
  std::vector<uint32_t> waiting = {block};
  while (!waiting.empty()) {
    const uint32_t at = waiting.back();
    waiting.pop_back();
    for (const uint32_t next : cfg.blocks[at].successors) {
      if (next == block) return true;
      if (next >= seen.size() || seen[next]) continue;
      seen[next] = true;
      waiting.push_back(next);
    }
  }
  return false;
}

PtxSide ptx_side(const ptx::Module& module, const ptx::Function& function) {
  PtxSide side;
  side.cfg = ptx::build_cfg(module, function);
  const auto addresses = linear_addresses(module, function, side.cfg);
  side.op_of.resize(function.instructions.size());
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    PtxOp op{.instruction = i, .block = side.cfg.block_of[i], .address = addresses[i]};
    if (const auto access = access_of(module, function, instruction))
      op.access = *access;
    else if (is_other_memory(module.spelling(instruction)))
      op.is_elsewhere = true;
    else
      continue;
    side.ops.push_back(std::move(op));
    side.op_of[i] = static_cast<uint32_t>(side.ops.size());
  }
  return side;
}

}  // namespace warpledger::sass
