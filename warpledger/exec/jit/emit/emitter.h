// LLVM. What the emitters share: the builder, the kernel's variables and blocks, and where in the
// kernel they are. An emitter is a free function that takes this and a step; lowerings.def says
// which one compiles which opcode, the files emit_*.cpp hold them by family.
//
// Registers are stack variables (mem2reg makes SSA of them). Every block is emitted twice where it
// has something to guess: a straight-line version that assumes regular accesses and no wrap-around
// of 32-bit sums, and a general one. A guess that fails leaves for the same instruction of the
// general version, which goes on to the end of the block; the two never meet inside a block.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {

using V = llvm::Value*;
using Block = llvm::BasicBlock*;
using reference::Step;
using Operand = reference::Value;

struct Mode {
  bool record = false;   // write the trace
  bool count = false;    // per block: executions and lanes
  bool windows = false;  // the host permutes 64-byte vectors: AVX-512
};

/// What compiled code keeps in variables of its frame.
struct Variables {
  std::vector<llvm::AllocaInst*> scalar, vector;  // by slot
  llvm::AllocaInst *mask = nullptr, *loop_mask = nullptr, *alive = nullptr, *depth = nullptr;
  llvm::AllocaInst *stack = nullptr, *fuel = nullptr, *record = nullptr;
  llvm::AllocaInst* carry = nullptr;    // of add.cc and its like: a bit for each lane
  llvm::AllocaInst* loading = nullptr;  // scoreboards of loads in flight (Step::loads), as bits
  std::vector<llvm::AllocaInst*> saved_mask;  // by block
  // By address: others, whose turn it is, whether lanes came to a barrier of the block apart.
  llvm::AllocaInst *lowest = nullptr, *target = nullptr, *came_apart = nullptr;
  // Of inlined functions. `alive` is of the innermost call: lanes that have neither returned from
  // it nor ended; `base` where its part of the stack begins.
  struct Call {
    llvm::AllocaInst *mask = nullptr, *alive = nullptr, *base = nullptr;  // of the caller
  };
  llvm::AllocaInst *base = nullptr, *instance = nullptr, *ended = nullptr;
  std::vector<Call> calls;  // by instance
};

/// An access that others of its group are checked with (Analysis::leader).
struct Leader {
  V pattern = nullptr, address = nullptr;
};

struct Emitter : llvm::IRBuilder<> {
  Emitter(const Analysis& of, llvm::Module& into, const Mode& how)
      : llvm::IRBuilder<>(into.getContext()),
        analysis(of),
        code(*of.code),
        module(into),
        mode(how),
        counts(of) {}

  // Types, for one lane or for 32.
  llvm::IntegerType* integer(unsigned bits) { return getIntNTy(bits); }
  llvm::Type* lanes_of(llvm::Type* type) { return llvm::FixedVectorType::get(type, 32); }
  llvm::Type* like(V value, llvm::Type* element) {
    return value->getType()->isVectorTy() ? lanes_of(element) : element;
  }
  llvm::Type* float_like(V value, unsigned bits) {
    return like(value, bits == 32 ? getFloatTy() : getDoubleTy());
  }
  V splat(V scalar) { return CreateVectorSplat(32, scalar); }

  // The lanes that are here, without and with the step's guard, as 32 bits.
  V mask() { return CreateLoad(getInt32Ty(), variables.mask); }
  V lanes() { return guard_bits == nullptr ? mask() : CreateAnd(mask(), guard_bits); }
  /// A condition, uniform or by lane, as 32 bits.
  V bits_of(V condition) {
    return condition->getType()->isVectorTy() ? CreateBitCast(condition, getInt32Ty())
                                              : CreateSExt(condition, getInt32Ty());
  }
  V as_bits(V lanes32) { return CreateBitCast(lanes32, lanes_of(getInt1Ty())); }

  // Blocks.
  Block new_block(const char* name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }
  Block entry_of(uint32_t of) { return of < entries.size() ? entries[of] : end; }
  /// Whose sides are taken as often as their weights say.
  void branch(V condition, Block yes, Block no, uint32_t yes_weight, uint32_t no_weight);
  /// Leaves for the general version of this instruction unless `condition`.
  void guess(V condition);

  const Analysis& analysis;
  const reference::Code& code;
  llvm::Module& module;
  const Mode mode;
  const CountPlaces counts;
  llvm::Function* function = nullptr;
  llvm::Function* pattern_function = nullptr;
  std::map<std::pair<ptx::Op, bool>, llvm::Function*> math;  // by opcode and .ftz
  V context = nullptr;
  Variables variables;
  std::vector<Block> entries, bodies;  // by block of the kernel
  Block end = nullptr, leave = nullptr, dispatch = nullptr;
  std::vector<Block> returns;  // by instance: where its last lanes leave it; the end of the kernel

  // While a block is emitted:
  uint32_t block = 0, pc = 0;
  bool fast = false;
  V guard = nullptr;                   // i1 or 32 x i1; null without one
  V guard_bits = nullptr;              // as 32 bits
  std::map<uint32_t, Leader> leaders;  // of the fast version, by step
  std::vector<uint32_t> ahead;         // steps whose records are written and not yet counted
  std::vector<Block> general;  // by step of the block: its general version, where one is wanted
};

}  // namespace warpledger::exec::jit
