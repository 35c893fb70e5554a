// Copies of the copy engine: what the instructions of bulk_copy.cpp and tensor_copy.cpp share.
// Their operands are uniform registers, and they are issued once for the lanes that execute them:
// ptxas writes a loop where lanes differ.
#pragma once

#include "warpledger/exec/machine/phase.h"
#include "warpledger/ptx/modifier.h"

namespace warpledger::exec::machine {

/// Register `further` behind the one that an operand in brackets or by itself names.
[[nodiscard]] uint32_t uniform_word(const Context& context, const Operand& operand,
                                    uint32_t further = 0);
[[nodiscard]] uint64_t uniform_pair(const Context& context, const Operand& operand);

/// A copy into shared memory: the same bytes to the same offsets in each block of `ranks`.
struct CopyLoad {
  std::vector<LateCopy::Piece> pieces;
  std::shared_ptr<const std::vector<std::byte>> data;
  uint32_t transactions = 0;
  uint32_t barrier = 0;    // address
  uint32_t ranks = 0;      // as bits
  bool of_pair = false;    // multicast ends at the mbarrier's block of each pair
  bool multicast = false;  // each copy ends at the mbarrier at that offset of its own block
};
void start_load(Context& context, const Instruction& instruction, const CopyLoad& load);

/// Queues a copy out of shared memory for the lane's next group.
void start_store(Context& context, Lanes lanes, LateStore store);

/// .ADD without a modifier that says otherwise.
[[nodiscard]] ptx::Modifier operation_of(const Instruction& instruction);

/// Ends all groups of the block's threads, and what they did not commit: the block ends.
void finish_all_stores(Block& block);

}  // namespace warpledger::exec::machine
