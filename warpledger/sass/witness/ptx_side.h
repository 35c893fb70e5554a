// The PTX side of the witness: every function's memory instructions with their addresses.
#pragma once

#include "warpledger/ptx/cfg.h"
#include "warpledger/sass/witness/access.h"
#include "warpledger/sass/witness/linear.h"

namespace warpledger::sass {

struct PtxOp {
  uint32_t instruction = 0;
  uint32_t block = 0;
  MemoryAccess access = {};
  std::optional<Linear> address = {};
  bool is_elsewhere = false;  // not of the load/store unit
};

struct PtxSide {
  ptx::Cfg cfg;
  std::vector<PtxOp> ops;       // in order of instructions
  std::vector<uint32_t> op_of;  // of each instruction, 1 + index into ops; 0: none
  [[nodiscard]] const PtxOp* find(uint32_t instruction) const {
    return op_of[instruction] == 0 ? nullptr : &ops[op_of[instruction] - 1];
  }
};

/// Whether the block can run again after itself.
[[nodiscard]] bool is_in_loop(const ptx::Cfg& cfg, uint32_t block);

[[nodiscard]] PtxSide ptx_side(const ptx::Module& module, const ptx::Function& function);

}  // namespace warpledger::sass
