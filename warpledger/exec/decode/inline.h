// A kernel with the functions that it calls set into it, for whoever compiles it: one Code without
// calls, whose control flow is no longer that of a function of the module.
//
// Each call becomes a copy of the callee (an instance): its registers are slots of their own, its
// frame lies behind the caller's as it would on the stack. Parameters that are only loaded, stored
// and passed on become registers, others stay bytes of the frame. The callee's instructions keep
// their numbers and sites, so that counts and records name the function's text.
//
// Lanes that return wait for the others of their call, behind it. So an instance is to its lanes
// what a kernel is: `ret` ends them in it, and branches meet where the function's own do, which
// need not be a post-dominator in the whole (ptx/cfg.h, EarlyExits::kIgnore).
#pragma once

#include "warpledger/exec/decode/program.h"
#include "warpledger/ptx/cfg.h"

namespace warpledger::exec::reference {

struct Instance {
  uint32_t parent = UINT32_MAX;        // instance; none of the kernel
  uint32_t call_block = UINT32_MAX;    // that ends with the call
  uint32_t return_block = UINT32_MAX;  // where its lanes go on; nothing else leads there
};

struct Inlined {
  ptx::Cfg cfg;
  std::vector<uint32_t> meets;        // by block; the return block stands for the instance's end
  std::vector<uint32_t> instance_of;  // by block
  std::vector<Instance> instances;    // the kernel first
};

/// Whether the kernel calls a function that has a body.
[[nodiscard]] bool has_calls(const Program& program, const ptx::Module& module);

/// Sets the functions that the kernel calls into it. Fails with code "jit-unsupported" on
/// recursion, calls through pointers, guarded calls, and on what would become too large.
[[nodiscard]] Status inline_calls(Program& program, const ptx::Module& module);

/// A function's blocks, or those of what it was inlined to.
[[nodiscard]] ptx::Cfg cfg_of(const Code& code, const ptx::Module& module);

}  // namespace warpledger::exec::reference
