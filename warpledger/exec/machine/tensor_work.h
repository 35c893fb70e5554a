// What the tensor core of sm_100 has been asked for and nobody has waited for yet. As in the PTX
// engine, it is done in order when somebody waits at the mbarrier of a later UTCBAR, so that code
// which does not wait finds the old values.
#pragma once

#include "warpledger/exec/machine/phase.h"

namespace warpledger::exec::machine {

/// Does all work up to the last commit to that mbarrier, of its block and of the block's peers.
void finish_tensor_work(const PhasePlace& place);

/// Whether a commit to that mbarrier is in the queue of a block of the cluster.
[[nodiscard]] bool has_commit(const Block& owner, uint32_t offset);

/// False, and the launch is stopped, where work in flight writes some of these columns.
bool is_quiet(Context& context, const Instruction& instruction, uint32_t column, uint32_t columns);

/// The other block of the pair; null, and the launch is stopped, where there is none.
[[nodiscard]] Block* find_pair(Context& context, const Instruction& instruction);

/// The books of tensor memory as a block finds them.
void begin_books(Block& block);

/// An operand "tmem[UR4+0x20]".
[[nodiscard]] TensorAddress tensor_address(const Context& context, const Operand& operand);

}  // namespace warpledger::exec::machine
